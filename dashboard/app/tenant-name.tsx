// The tenant in the sidebar; for who is a member of several, the way to another.
import { ChevronsUpDown } from "lucide-react";
import { printable } from "#core/printable.ts";
import { MenuButton } from "../parts/menu-button.tsx";
import { useSession } from "./session.tsx";
import { useSwitchTenant } from "./use-switch-tenant.ts";
import style from "./sidebar.module.css";

export function TenantName() {
  const { me } = useSession();
  const switchTenant = useSwitchTenant();
  const name = printable(me.tenant.name);
  const others = me.tenants.filter(({ slug }) => slug !== me.tenant.slug);
  if (others.length === 0)
    return (
      <span className={style.tenant} title={`Tenant ${me.tenant.slug}`} data-testid="tenant-name">
        {name}
      </span>
    );
  const items = others.map(({ slug, name: other }) => ({ label: other === slug ? other : `${printable(other)} (${slug})`, run: () => switchTenant(slug), testId: `tenant-${slug}` }));
  return (
    <MenuButton label={`Tenant ${name}; switch to another`} title={`Tenant ${me.tenant.slug}; switch to another`} groups={[items]} className={style.switch} testId="tenant-switch">
      <span className={style.tenant} data-testid="tenant-name">
        {name}
      </span>
      <ChevronsUpDown size={12} aria-hidden="true" />
    </MenuButton>
  );
}
