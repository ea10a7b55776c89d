// The port people use, in front of workerd's own: bytes pass through untouched. It exists for one thing: a browser that leaves closes its side politely (FIN),
// which workerd takes for a half-closed client and works on for nobody. Here a leaving client becomes a reset, which workerd understands: the request's signal
// aborts and the query behind it ends.
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export type Doorway = { readonly port: number; close(): Promise<void> };

// `target` is asked for every connection: workerd may have been started again on another port.
export async function openDoorway(port: number, target: () => Promise<number>): Promise<Doorway> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    open.add(client);
    client.on("close", () => open.delete(client));
    client.on("error", () => client.destroy());
    target().then((workerdPort) => join(client, workerdPort), () => client.destroy());
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(port, "127.0.0.1", listening);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const client of open) client.destroy();
      }),
  };
}

function join(client: Socket, port: number): void {
  const upstream = connect({ port, host: "127.0.0.1", noDelay: true });
  client.pipe(upstream, { end: false });
  upstream.pipe(client);
  const leave = () => {
    upstream.resetAndDestroy();
    client.destroy();
  };
  client.on("end", leave);
  client.on("close", leave);
  upstream.on("error", () => client.destroy());
  upstream.on("close", () => client.end());
}
