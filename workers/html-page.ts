// The few pages that the Worker writes itself: the API description, the errors, a sign-in link that does not work. No script.
export function htmlPage(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>
:root{color-scheme:light dark;background:light-dark(#fff,#0e1116)}body{font:14px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse;width:100%}
td,th{text-align:left;padding:.35rem .6rem;border-bottom:1px solid color-mix(in srgb,currentColor 18%,transparent);vertical-align:top}:target{background:color-mix(in srgb,gold 30%,transparent)}
pre{overflow:auto;padding:.6rem;border:1px solid color-mix(in srgb,currentColor 18%,transparent)}</style><main><h1>${title}</h1>${body}</main></html>`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
