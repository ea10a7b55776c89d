// Answers are kept for a minute and asked again in the background. Only a server that is away is asked twice on its own; every other error is final.
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "../parts/api-error.ts";

export const freshMs = 60_000;

export function makeQueryClient(): QueryClient {
  const signedOut = (error: unknown): void => {
    // The session ended while a page was open: asking who we are again brings up the sign-in page.
    if (error instanceof ApiError && error.status === 401) void client.invalidateQueries({ queryKey: ["me"] });
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (query.queryKey[0] !== "me") signedOut(error);
      },
    }),
    mutationCache: new MutationCache({ onError: signedOut }),
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < 2 && error instanceof ApiError && (error.status === 0 || error.status === 503),
      },
    },
  });
  return client;
}
