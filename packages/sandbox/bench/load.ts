/**
 * A plain load generator: so many requests over so many kept connections, every answer read to its
 * end and checked.
 */
import { Agent, request as httpRequest } from "node:http";

/** The request that a run repeats. */
export interface Load {
  /** Asked in turn. */
  readonly urls: ReadonlyArray<string>;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const CONNECTIONS = 16;

const once = (
  url: string,
  { body, headers, method = "GET" }: Load,
  agent: Agent,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(url, { agent, method, headers: { ...headers } }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => (bytes += chunk.length));
      response.on("error", reject);
      response.on("end", () =>
        response.statusCode === 200
          ? resolve(bytes)
          : reject(new Error(`${method} ${url} answered ${response.statusCode}`)),
      );
    });
    request.on("error", reject);
    request.end(body);
  });

/** Sends `requests` requests: how many were answered in a second, with how many bytes in all. */
export const send = async (
  load: Load,
  requests: number,
  connections = CONNECTIONS,
): Promise<{ readonly rate: number; readonly bytes: number }> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let left = requests;
  let bytes = 0;
  const worker = async () => {
    while (left-- > 0) {
      const length = await once(load.urls[left % load.urls.length]!, load, agent);
      bytes += length;
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - begun) / 1000;
  agent.destroy();
  return { rate: requests / seconds, bytes };
};
