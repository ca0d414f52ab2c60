/** Settings that the soak and its servers share. */
import type { LostAnswerPolicy } from "../src/Session.ts";

/**
 * A token of 16 s is renewed from 8 s before its end. A request may take 6 s, longer than a pause
 * and than a busy machine's delays together, and an intent is over after 7 s, before the token is.
 */
export const TIMES = {
  lifeSeconds: 16,
  renewFromMillis: 8_000,
  waitFromMillis: 200,
  sendWithinMillis: 1_000,
  timeoutMillis: 6_000,
} as const;

export interface Combination {
  readonly name: string;
  readonly policy: LostAnswerPolicy | "naive";
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
