// Every page: its path, its URL state, and the chunk that is loaded when it is opened.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from "@tanstack/react-router";
import { NoTenantPage } from "./no-tenant-page.tsx";
import { NotFoundPage } from "./not-found-page.tsx";
import { PageFailure } from "./page-failure.tsx";
import { Shell } from "./shell.tsx";
import { executionSearch, executionsSearch, fileSearch, flamegraphSearch, metricsSearch, modelSearch, modelsSearch, parseSearch, rangeSearch, setupSearch, stringifySearch, workloadSearch, workloadsSearch } from "./url-state.ts";

const rootRoute = createRootRoute({ component: Outlet, notFoundComponent: () => <NoTenantPage /> });
const homeRoute = createRoute({ getParentRoute: () => rootRoute, path: "/", component: () => <NoTenantPage /> });

export const tenantRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/t/$tenant",
  validateSearch: (search: Record<string, unknown>) => rangeSearch.parse(search),
  component: Shell,
  notFoundComponent: NotFoundPage,
});
const tenantHomeRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/t/$tenant/flamegraph", params, search: true as never, replace: true });
  },
});
export const flamegraphRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/flamegraph",
  validateSearch: (search: Record<string, unknown>) => flamegraphSearch.parse(search),
  component: lazyRouteComponent(() => import("../pages/flamegraph/flamegraph-page.tsx"), "FlamegraphPage"),
});
export const modelsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/models",
  validateSearch: (search: Record<string, unknown>) => modelsSearch.parse(search),
  component: lazyRouteComponent(() => import("../pages/models/models-page.tsx"), "ModelsPage"),
});
export const modelRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/models/$model",
  validateSearch: (search: Record<string, unknown>) => modelSearch.parse(search),
  component: lazyRouteComponent(() => import("../pages/model/model-page.tsx"), "ModelPage"),
});
export const executionsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/executions",
  validateSearch: (search: Record<string, unknown>) => executionsSearch.parse(search),
  component: lazyRouteComponent(() => import("../pages/executions/executions-page.tsx"), "ExecutionsPage"),
});
export const executionRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/executions/$execution",
  validateSearch: (search: Record<string, unknown>) => executionSearch.parse(search),
  component: lazyRouteComponent(() => import("../pages/execution/execution-page.tsx"), "ExecutionPage"),
});
export const setupRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/setup",
  validateSearch: (search: Record<string, unknown>) => setupSearch.parse(search),
  component: lazyRouteComponent(() => import("../pages/setup/setup-page.tsx"), "SetupPage"),
});
const workloadsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/workloads",
  validateSearch: (search: Record<string, unknown>) => workloadsSearch.parse(search),
  component: lazyRouteComponent(() => import("../pages/workloads/workloads-page.tsx"), "WorkloadsPage"),
});
const workloadRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/workloads/$workload",
  validateSearch: (search: Record<string, unknown>) => workloadSearch.parse(search),
  component: lazyRouteComponent(() => import("../pages/workload/workload-page.tsx"), "WorkloadPage"),
});
const metricsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/metrics",
  validateSearch: (search: Record<string, unknown>) => metricsSearch.parse(search),
  component: lazyRouteComponent(() => import("../pages/metrics/metrics-page.tsx"), "MetricsPage"),
});
export const fileRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/file",
  validateSearch: (search: Record<string, unknown>) => fileSearch.parse(search),
  component: lazyRouteComponent(() => import("../pages/file/file-page.tsx"), "FilePage"),
});
const flagsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/settings/flags",
  component: lazyRouteComponent(() => import("../pages/settings/flags-page.tsx"), "FlagsPage"),
});
const tokensRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/settings/tokens",
  component: lazyRouteComponent(() => import("../pages/settings/tokens-page.tsx"), "TokensPage"),
});
const statusRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: "/status",
  component: lazyRouteComponent(() => import("../pages/status/status-page.tsx"), "StatusPage"),
});

const routeTree = rootRoute.addChildren([
  homeRoute,
tenantRoute.addChildren([tenantHomeRoute, flamegraphRoute, modelsRoute, modelRoute, workloadsRoute, workloadRoute, metricsRoute, executionsRoute, executionRoute, setupRoute, fileRoute, flagsRoute, tokensRoute, statusRoute]),
]);

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultErrorComponent: PageFailure,
  defaultNotFoundComponent: NotFoundPage,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
