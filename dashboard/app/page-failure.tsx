// The boundary of each page: one page fails, the shell stays. A chunk that is gone means a newer version was deployed.
import { Failure } from "../parts/states.tsx";
import { ApiError } from "../parts/api-error.ts";
import { PageHeader } from "./page-header.tsx";

export function PageFailure({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) {
  const message = error instanceof Error ? error.message : String(error);
  if (/dynamically imported module|module script failed/i.test(message)) {
    const newer = new ApiError({
      status: 0,
      code: "new_version",
      requestId: "",
      title: "A new version was deployed",
      detail: "This page's code is no longer on the server. Retry loads the new version; your view is in the URL and stays.",
    });
    return (
      <>
        <PageHeader title="New version" />
        <Failure error={newer} retry={() => location.reload()} />
      </>
    );
  }
  return (
    <>
      <PageHeader title="Error" />
      <Failure error={error} retry={reset} />
    </>
  );
}
