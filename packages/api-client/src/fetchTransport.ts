/** A transport over `fetch`. */
import { refusalOf } from "./refusalOf.ts";
import { unanswered, type IncomingResponse, type SendError, type Transport } from "./Transport.ts";

/** Sends requests with `fetch`; by default with the global one, looked up at every request. */
export const fetchTransport =
  (fetch?: typeof globalThis.fetch): Transport =>
  ({ method, url, headers, body }, settle) => {
    const controller = new AbortController();
    const abort = () => controller.abort();
    const { signal } = controller;
    const init: RequestInit = { method, headers, signal, redirect: "manual", body: body ?? null };
    const exchange = async (): Promise<void> => {
      let result: IncomingResponse | SendError;
      try {
        const response = await (fetch ?? globalThis.fetch)(url, init);
        // Another `fetch` may give anything, and the client says so.
        result =
          response?.headers && response.type !== "error"
            ? fromResponse(response, abort, fetch === undefined)
            : (response as never);
      } catch (cause) {
        result = unanswered(cause);
      }
      settle(result);
    };
    void exchange();
    return abort;
  };

const decoder = /*#__PURE__*/ new TextDecoder();

const fromResponse = (response: Response, abort: () => void, isOwn: boolean): IncomingResponse => {
  const headers: Record<string, string> = Object.fromEntries(response.headers);
  const refusal = refusalOf(headers["content-encoding"]);
  if (refusal !== undefined) abort();
  // Fetch has decompressed the body, so that these two are no longer true of it.
  if ((headers["content-encoding"]?.trim() || "identity") !== "identity") {
    delete headers["content-encoding"];
    delete headers["content-length"];
  }
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return {
    status: response.status,
    headers,
    encoding: "identity",
    read: async () => {
      if (refusal !== undefined) throw refusal;
      reader ??= response.body?.getReader();
      return (await reader?.read())?.value;
    },
    // Only asked for where the length was announced and is within the limit: one read costs a third
    // of a stream of chunks. Another `fetch` than the platform's may give more than it announced.
    text: isOwn ? () => wholeText(response, Number(headers["content-length"])) : undefined,
    abort,
  };
};

const wholeText = async (response: Response, announced: number): Promise<string> => {
  const bytes = await response.arrayBuffer();
  if (bytes.byteLength !== announced) throw new Error(`${bytes.byteLength} of ${announced} bytes`);
  return decoder.decode(bytes);
};
