// Answers that ask for patience, from a server of a few lines.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { openApi } from "#cli/api.ts";

afterEach(() => vi.restoreAllMocks());

test.each([
  ["the problem's own words", JSON.stringify({ title: "The tenant's queries have used their budget", detail: "Narrow the time range." }), "The tenant's queries have used their budget. Narrow the time range. Trying again in 0.01 s\n"],
  ["the status, where the body is no problem", "<html>", "The server is busy (429). Trying again in 0.01 s\n"],
])("a 429 is told while it is waited for: %s", async (_what, body, told) => {
  let asked = 0;
  const server = createServer((_request, response) => {
    if (asked++ === 0) response.writeHead(429, { "retry-after": "0.01" }).end(body);
    else response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  await openApi({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, tenant: "demo", token: "t" }).call("me");
  expect([asked, said.mock.calls.map(([text]) => text)]).toEqual([2, [told]]);
  server.close();
});
