// Goes to the same page of another tenant. What is only in this one, such as a model or a filter's values, stays behind.
import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { keepRange } from "./keep-range.ts";
import { pageList } from "./page-list.ts";

export function useSwitchTenant(): (slug: string) => void {
  const navigate = useNavigate();
  return useCallback(
    (slug) => {
      const below = location.pathname.replace(/^\/t\/[^/]+/, "/t/$tenant");
      const page = pageList.find(({ to }) => below === to || below.startsWith(`${to}/`)) ?? pageList[0];
      void navigate({ to: page.to, params: { tenant: slug }, search: keepRange as never });
    },
    [navigate],
  );
}
