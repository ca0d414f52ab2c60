/**
 * Opens a page in the user's own browser (RFC 8252 §6), by the `open` package: it knows the
 * platforms, starts programs with an argument vector and no shell.
 *
 * The address comes from a configured server and is untrusted all the same: anything but http(s) is
 * refused, because systems open `file:` and custom schemes with whatever program asks for them.
 */
import * as Effect from "effect/Effect";
import { ConfigurationInvalid } from "../Errors.ts";

/**
 * Opens `url`. Succeeds also when no browser could be started: the user has the address in front of
 * them.
 */
export const openBrowser = Effect.fn("openBrowser")(function* (
  url: string,
): Effect.fn.Return<void, ConfigurationInvalid> {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    return yield* new ConfigurationInvalid({ reason: "only http and https pages are opened" });
  yield* Effect.ignore(
    Effect.tryPromise(async () => {
      const { default: open } = await import("open");
      const child = await open(parsed.href);
      child.on("error", () => undefined);
    }),
  );
});
