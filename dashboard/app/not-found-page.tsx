// A path below a tenant that is no page.
import { Link } from "@tanstack/react-router";
import { PageHeader } from "./page-header.tsx";
import { Empty } from "../parts/states.tsx";
import { useSession } from "./session.tsx";

export function NotFoundPage() {
  const { tenant } = useSession();
  return (
    <>
      <PageHeader title="Not found" />
      <Empty title="There is no such page" testId="not-found">
        <p>
          The address may be cut short. Start from the{" "}
          <Link to="/t/$tenant/flamegraph" params={{ tenant }}>
            flamegraph
          </Link>
          .
        </p>
      </Empty>
    </>
  );
}
