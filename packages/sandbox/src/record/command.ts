/** `game-data-sandbox record`. */
import type { CommandLine } from "../commandLine.ts";
import { isLoopbackHost } from "@game-data/contract/SecureUrl";
import { startRecorder } from "./recorder.ts";

const EX_USAGE = 64;
const EX_UNAVAILABLE = 69;

/** Records until SIGTERM or SIGINT. Prints one line of JSON with its address when it is ready. */
export const recordCommand = async ({ flags, options }: CommandLine): Promise<number> => {
  const { "auth-url": authUpstream, "no-redact": noRedact = false, out, upstream } = flags;
  if (upstream === undefined || !URL.canParse(upstream))
    return refuse("--upstream URL is the address of a data API");
  if (authUpstream !== undefined && !URL.canParse(authUpstream))
    return refuse("--auth-url URL is the address of an OAuth server");
  if (!isSafe(upstream)) return refuse("--upstream has to be https: tokens pass through");
  if (authUpstream !== undefined && !isSafe(authUpstream))
    return refuse("--auth-url has to be https: secrets pass through");
  if (noRedact && !isLoopbackHost(new URL(upstream).hostname))
    return refuse(
      "--no-redact is for an upstream on this machine: the answers of others name people",
    );
  if (out === undefined) return refuse("--out FOLDER is where the answers go");
  const words =
    options.words === undefined
      ? undefined
      : (await import("../data/words.ts")).makeTranslation(options.words).translation;
  try {
    const recorder = await startRecorder({
      upstream,
      authUpstream,
      folder: out,
      port: options.port,
      words,
      isRedacted: !noRedact,
      onAnswer: (line) => process.stderr.write(`${line}\n`),
    });
    const { authUrl, url: baseUrl } = recorder;
    process.stdout.write(`${JSON.stringify({ baseUrl, authUrl, folder: out })}\n`);
    await new Promise<void>((resolve) => {
      process.once("SIGTERM", () => resolve());
      process.once("SIGINT", () => resolve());
    });
    await recorder.close();
    return 0;
  } catch (cause) {
    process.stderr.write(`game-data-sandbox: record: ${(cause as Error).message}\n`);
    return EX_UNAVAILABLE;
  }
};

const isSafe = (url: string): boolean => {
  const { hostname, protocol } = new URL(url);
  return protocol === "https:" || isLoopbackHost(hostname);
};

const refuse = (reason: string): number => {
  process.stderr.write(`game-data-sandbox: record: ${reason}\n`);
  return EX_USAGE;
};
