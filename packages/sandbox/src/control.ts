/**
 * Helpers for tests: tokens, consents, faults, the clock, and checks of requests.
 *
 * Every sandbox that this process starts has these methods. `controlOf` makes them for a sandbox of
 * another process, such as a program under `game-data-sandbox exec`. The control plane plays the
 * user and the network; everything else of a flow is real.
 *
 * ```ts
 * import { startSandbox } from "@game-data/sandbox";
 *
 * const sandbox = await startSandbox();
 * const token = await sandbox.token({ scopes: ["account:profile"] });
 * await sandbox.fault({ match: { endpoint: "profile" }, fault: { kind: "status", status: 503 } });
 * const headers = { authorization: `Bearer ${token}` };
 * const { status } = await fetch(`${sandbox.baseUrl}/profile`, { headers });
 * await sandbox.verify({ match: { endpoint: "profile" }, exactly: 1, status });
 * await sandbox.close();
 * ```
 */
import type { TokenResponse } from "./oauth/TokenGrants.ts";
import type { Scope } from "@game-data/contract/Scope";
import { ControlRejected, SandboxClosed, VerificationFailed } from "./Errors.ts";
import { parseJson } from "./internal/encoding.ts";
import type { FaultMatch, FaultRule } from "./faults/Fault.ts";
import type { SandboxInfo } from "./assemble.ts";

/** The requests that `verify` expects, and their number. */
export interface Expectation {
  readonly match: FaultMatch;
  readonly status?: number;
  readonly exactly?: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** The account that answers a consent page, and its decision. */
export interface ConsentOptions {
  /** The account that is signed in. Default: the first one. */
  readonly account?: string;
  /** Denies the consent. Default: false. */
  readonly deny?: boolean;
}

/** Scopes, account and client of a token. */
export interface TokenOptions {
  readonly scopes: ReadonlyArray<Scope>;
  /** Name of the account. Default: the first account if a scope needs a user. */
  readonly account?: string;
  /** Default: a seeded client that may have these scopes. */
  readonly clientId?: string;
}

/**
 * Helpers for tests. Each rejects with `ControlRejected` or `SandboxClosed`; `verify` also with
 * `VerificationFailed`.
 */
export type SandboxControl = ReturnType<typeof controlOf>;

type Send = (request: Request) => Promise<Response>;

/** Makes the helpers for a sandbox. `send` sends their requests. Default: `fetch`. */
export const controlOf = (
  info: Pick<SandboxInfo, "controlKey" | "controlUrl"> & Partial<Pick<SandboxInfo, "accounts">>,
  send: Send = fetch,
) => {
  const control = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(info.controlKey === undefined ? {} : { authorization: `Bearer ${info.controlKey}` }),
    };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const url = `${info.controlUrl}${path}`;
    const name = `${method} ${path}`;
    let request: Request;
    try {
      request = new Request(url, { method, headers, ...content });
    } catch (cause) {
      throw rejection(name, 400, { reason: (cause as Error).message });
    }
    const response = await send(request).catch((cause: unknown) => {
      throw new SandboxClosed({ url: info.controlUrl, cause });
    });
    const text = await response.text();
    // Another program may answer at this address, so the body may not be JSON.
    const value =
      text === "" ? undefined : (parseJson(text) ?? { reason: text.trim().slice(0, 200) });
    if (path === "/verify" && response.status === 409) return value;
    if (!response.ok) throw rejection(name, response.status, value);
    return value;
  };
  return {
    /** Sends a request to the control plane; the path is below `controlUrl`. */
    control,
    /** Resolves to an access token, without a sign-in. */
    token: async (options: TokenOptions): Promise<string> => {
      // The control plane checks these options, so they are passed on as they are.
      const { account, clientId, scopes = null, ...unknown } = { ...options };
      const isUsers = String(scopes).includes("account:");
      const owner = account ?? (isUsers ? info.accounts?.[0]?.name : undefined);
      const client = clientId ?? (isUsers ? "example-desktop" : "example-service");
      const body = { ...unknown, clientId: client, scopes, account: owner };
      return ((await control("POST", "/tokens", body)) as TokenResponse).access_token;
    },
    /** Answers an authorization URL as a user would. Resolves to the URL of the redirect. */
    consent: async (url: string, options?: ConsentOptions): Promise<string> => {
      const body = { url, ...options };
      return ((await control("POST", "/authorize", body)) as { readonly redirect: string })
        .redirect;
    },
    /** Adds a fault, and resolves to the id of its rule. */
    fault: async (rule: FaultRule): Promise<{ readonly id: string }> => {
      const { faults } = (await control("POST", "/faults", { ...rule })) as {
        readonly faults: ReadonlyArray<{ readonly id: string }>;
      };
      return { id: faults[0]!.id };
    },
    /** Moves the virtual clock forward: `"31 seconds"`, `"5 minutes"`, `"28 days"`. */
    advance: async (by: string): Promise<void> =>
      void (await control("POST", "/clock", { advance: by })),
    /** Resolves if the expected number of requests has arrived, else rejects. */
    verify: async (expected: Expectation): Promise<void> => {
      const seen = (await control("POST", "/verify", expected)) as Seen;
      if (!seen.isMet)
        throw new VerificationFailed({ count: seen.count, reason: unmet(expected, seen) });
    },
  };
};

const rejection = (request: string, status: number, value: unknown): ControlRejected => {
  const { issues = [], reason = "the response gives no reason; check method and path" } = (value ??
    {}) as {
    readonly issues?: ControlRejected["issues"];
    readonly reason?: string;
  };
  return new ControlRejected({ request, status, reason, issues });
};

interface Seen {
  readonly isMet: boolean;
  readonly count: number;
  readonly nearest: ReadonlyArray<{
    readonly method: string;
    readonly path: string;
    readonly status: number | null;
  }>;
}

/**
 * Formats a message such as `expected exactly 2 of {"endpoint":"profile"}, 1 came; others: GET
 * /league → 200`.
 */
const unmet = ({ match, ...bounds }: Expectation, { count, nearest }: Seen): string => {
  const wanted = Object.entries(bounds).map(([name, value]) => `${name} ${value}`);
  const others = nearest.map(
    ({ method, path, status }) => `${method} ${path} → ${status ?? "none"}`,
  );
  return `expected ${wanted.join(", ")} of ${JSON.stringify(match)}, ${count} came; others: ${others.join(", ") || "none"}`;
};
