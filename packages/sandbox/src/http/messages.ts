/** Requests and responses of the control plane, as plain values. */
export type Headers = Readonly<Record<string, string>>;

export interface RequestInput {
  readonly method: string;
  /** Path and query, raw, as on the wire. */
  readonly url: string;
  /** A header by its name in lower case. */
  header(name: string): string | undefined;
  readonly body: Uint8Array;
  readonly ip: string;
}

export interface ResponseOutput {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Takes the place of the body: pushes pieces of text until it is stopped. */
  readonly stream?: (send: (text: string) => void) => () => void;
  /** Takes the place of the whole response once it is there. */
  readonly deferred?: Promise<ResponseOutput>;
}

export const NO_STORE: Headers = { "cache-control": "no-store" };

export const empty = (status: number, headers: Headers = {}): ResponseOutput => ({
  status,
  headers,
  body: "",
});

export const json = (value: unknown, status = 200, headers: Headers = {}): ResponseOutput => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(value),
});

export const controlError = (
  reason: string,
  status = 400,
  more: Readonly<Record<string, unknown>> = {},
): ResponseOutput => json({ reason, ...more }, status, NO_STORE);

export const withHeaders = (response: ResponseOutput, headers: Headers): ResponseOutput => ({
  ...response,
  headers: { ...response.headers, ...headers },
});

export const queryOf = (url: string): string => {
  const at = url.indexOf("?");
  return at < 0 ? "" : url.slice(at + 1);
};

export const pathOf = (url: string): string => {
  const at = url.indexOf("?");
  return at < 0 ? url : url.slice(0, at);
};
