// A scripted front between the Worker and ClickHouse: a plain HTTP proxy on loopback that can refuse, hold, cut or spoil single inserts, chosen by table and
// ordinal. Invariant: a held insert was read whole and is forwarded on release() even when its sender is dead by then, as a slow network would deliver it.
import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Fault =
  | "pass"
  | "hold" // kept back until release(), then stored
  | "hold_answer" // stored; the answer is kept back until release()
  | "reset_after_commit" // stored; the connection breaks before the answer
  | "exception_in_200" // not stored; an exception's text in the body of a 200, as a server does that fails after its headers are out
  | 500
  | 503; // not stored

export type Insert = { readonly table: string; readonly nth: number }; // nth: 1, 2, … among the inserts of this table since play()
export type Script = (insert: Insert) => Fault;

// The nth insert of one table meets the fault, all others pass.
export const faultAt = (table: string, fault: Fault, nth = 1): Script => (insert) => (insert.table === table && insert.nth === nth ? fault : "pass");

type Upstream = { readonly status: number; readonly headers: Record<string, string | string[] | undefined>; readonly body: Buffer };

export class ClickHouseFront {
  url = "";
  down = false; // every request finds its connection cut
  inserts: string[] = []; // tables, in order of arrival, since play()
  reads = 0; // other requests since play()
  onRead: (body: Buffer) => void = () => undefined; // hears the body of each of them
  #script: Script = () => "pass";
  #held: (() => void)[] = [];
  readonly #open = new Set<Promise<void>>(); // requests that are not answered yet
  #target = Promise.withResolvers<string>();
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server = createServer({ maxHeaderSize: 2 ** 20 }, (request, response) => {
    const answered = this.#answer(request, response).catch(() => void request.socket.destroy()).finally(() => this.#open.delete(answered));
    this.#open.add(answered);
  });

  async open(): Promise<this> {
    this.#server.keepAliveTimeout = 120_000;
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  // Where requests go. Until it is known they wait, since the Worker may ask before its starter knows the store's port.
  attach(target: string): void {
    this.#target.resolve(target);
  }

  detach(): void {
    this.#target = Promise.withResolvers<string>();
  }

  play(script: Script): void {
    this.#script = script;
    this.inserts = [];
    this.reads = 0;
  }

  get held(): number {
    return this.#held.length;
  }

  // Ends when the store has answered what was held.
  async release(): Promise<void> {
    for (const go of this.#held.splice(0)) go();
    await Promise.all(this.#open);
  }

  async close(): Promise<void> {
    this.attach("http://127.0.0.1:9"); // whoever still waits for a target fails now
    for (const go of this.#held.splice(0)) go();
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await new Promise((done) => this.#server.close(done));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.down) return void request.socket.destroy();
    const body = await collect(request);
    const table = /^INSERT INTO (\w+)/.exec(new URL(request.url ?? "/", "http://front").searchParams.get("query") ?? "")?.[1];
    const fault = table === undefined ? "pass" : this.#faultOf(table);
    if (table === undefined) {
      this.reads++;
      this.onRead(body);
    }
    if (typeof fault === "number") return void response.writeHead(fault).end("the server is not well\n");
    if (fault === "exception_in_200") return void response.writeHead(200).end("Code: 252. DB::Exception: Too many parts. (TOO_MANY_PARTS)\n");
    if (fault === "hold") await this.#hold();
    const upstream = await this.#forward(request, response, body, table !== undefined);
    if (fault === "hold_answer") await this.#hold();
    if (fault === "reset_after_commit") return void request.socket.resetAndDestroy();
    response.writeHead(upstream.status, upstream.headers).end(upstream.body);
  }

  #faultOf(table: string): Fault {
    this.inserts.push(table);
    return this.#script({ table, nth: this.inserts.filter((one) => one === table).length });
  }

  #hold(): Promise<void> {
    return new Promise((go) => this.#held.push(go));
  }

  async #forward(request: IncomingMessage, response: ServerResponse, body: Buffer, insert: boolean): Promise<Upstream> {
    const { host: _host, connection: _connection, "transfer-encoding": _encoding, ...headers } = request.headers;
    const upstream = httpRequest(new URL(request.url ?? "/", await this.#target.promise), { method: request.method, headers: { ...headers, "content-length": body.length }, agent: this.#agent });
    // A client that goes away ends its query; an insert is completed, as the store itself does it.
    if (!insert) response.on("close", () => response.writableFinished || upstream.destroy());
    upstream.end(body);
    const [answer] = (await once(upstream, "response")) as [IncomingMessage];
    const { connection, "transfer-encoding": chunked, "keep-alive": alive, ...kept } = answer.headers;
    return { status: answer.statusCode ?? 502, headers: kept, body: await collect(answer) };
  }
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
