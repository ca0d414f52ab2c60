/** Settings that the soak and its servers share. */
import type { SessionOptions } from "../src/Session.ts";

/**
 * A token of 24 s is renewed from 12 s before its end. A request may take 6 s, longer than a pause
 * and the delays of a busy machine together. An intent is given up after 11 s, before the token's end.
 */
export const TIMES = {
  lifeSeconds: 24,
  renewFromMillis: 12_000,
  timeoutMillis: 6_000,
} as const;

export interface Combination {
  readonly name: string;
  readonly policy: NonNullable<SessionOptions["onLostAnswer"]> | "naive";
  readonly address: string;
}

/** Reads `name=policy@address`. */
export const combinationsOf = (specs: ReadonlyArray<string>): ReadonlyArray<Combination> =>
  specs.map((spec) => {
    const [, name = "", policy = "", address = ""] = /^(.*?)=(.*?)@(.*)$/.exec(spec) ?? [];
    return { name, policy: policy as Combination["policy"], address };
  });

export const GRANT = {
  key: (name: string, at: number) => `${name}/${at}`,
  combination: (key: string) => key.slice(0, key.lastIndexOf("/")),
} as const;
