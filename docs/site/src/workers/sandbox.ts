// Stands for `@game-data/sandbox` where a program runs in a page: the same service, reached through
// `fetch` of the worker in place of a port.
import { createWebSandbox, type WebSandbox, type WebSandboxOptions } from "@game-data/sandbox/web";

const network = globalThis.fetch;
let sandbox: WebSandbox | undefined;

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const isOurs = new URL(request.url).hostname.endsWith(".sandbox.localhost");
  if (!isOurs || sandbox === undefined) return network(request);
  request.headers.delete("accept-encoding"); // no network, nothing to compress
  return sandbox.fetch(request);
};

export const startSandbox = async (options?: WebSandboxOptions) => {
  sandbox = await createWebSandbox(options);
  return { ...sandbox, close: async () => undefined };
};
