/** The gauges of followed streams, computed from their records for each scrape. */
import type { StreamSource } from "../Model.ts";
import { behind, deriveStream, heldBy, type PartStatus, type StreamRecord } from "../Status.ts";

const PREFIX = "game_data_follower_";

/** Help texts of the gauges that are computed when they are asked for. */
const GAUGES = {
  lag_seconds: "Seconds since everything received was durable; absent on standby",
  caught_up: "1 when everything that the service has is durable and applied, else 0",
  live: "1 while no part has halted or hangs beyond its deadline, else 0",
  ready: "1 while the store accepts work and the lease is known to be held, else 0",
  held: "1 while this process holds the stream, else 0",
  pending_pages: "Pages received and not durable",
  quarantined_records: "Records in the store's quarantine, of follower and indexers",
  part_stuck: "1 while a part has not answered for longer than it may, else 0",
  part_halted: "1 once a part has ended by a failure, else 0",
  part_failures: "Failed attempts of a part since its last success",
  indexer_behind: "Pages, or hours of the exchange, between the log's head and an indexer",
  last_error_seconds: "Unix time of a part's last failure, with its cause",
  next_attempt_seconds: "Unix time at which a part that failed tries again",
} as const;

type Labels = Readonly<Record<string, string | number | undefined>>;
/** Without a value there is no sample. */
type Sample = readonly [gauge: keyof typeof GAUGES, labels: Labels, value: number | undefined];

/** The gauges of all streams in Prometheus' text format, as of `now`. */
export const metricsText = (records: ReadonlyArray<StreamRecord>, now: number): string => {
  const samples = records
    .flatMap((record) => samplesOf(record, now))
    .filter(([, , value]) => value !== undefined);
  return (Object.keys(GAUGES) as ReadonlyArray<keyof typeof GAUGES>)
    .map((gauge) => {
      const lines = samples.filter(([name]) => name === gauge).map(line);
      if (lines.length === 0) return "";
      const name = PREFIX + gauge;
      return `# HELP ${name} ${GAUGES[gauge]}\n# TYPE ${name} gauge\n${lines.join("")}`;
    })
    .join("");
};

const samplesOf = (record: StreamRecord, now: number): ReadonlyArray<Sample> => {
  const status = deriveStream(record, now);
  const [source = "", realm = ""] = status.stream.split("/");
  const at = { source, realm };
  const isHeld = heldBy(record, now) === "us" && !["stopped", "halted"].includes(status.state);
  return [
    ["lag_seconds", at, status.lagSeconds],
    ["caught_up", at, Number(status.isCaughtUp)],
    ["live", at, Number(status.isLive)],
    ["ready", at, Number(status.isReady)],
    ["held", at, Number(isHeld)],
    ["pending_pages", at, status.pendingPages],
    ["quarantined_records", at, record.quarantined],
    ...status.parts.flatMap((part) => partSamples(part, at, status.headSeq)),
  ];
};

const partSamples = (part: PartStatus, at: Labels, headSeq: bigint): ReadonlyArray<Sample> => {
  const { failures, kind, lastError, name, nextAttemptAt, seq = 0n, state } = part;
  const labels = { ...at, part: kind, name };
  const { tag, kind: errorKind, status } = lastError ?? {};
  const distance =
    kind === "indexer" ? behind(headSeq, seq, at["source"] as StreamSource) : undefined;
  return [
    ["part_stuck", labels, Number(state === "stuck")],
    ["part_halted", labels, Number(state === "halted")],
    ["part_failures", labels, failures],
    ["indexer_behind", { ...at, indexer: name }, distance],
    ["next_attempt_seconds", labels, secondsOf(nextAttemptAt)],
    ["last_error_seconds", { ...labels, tag, kind: errorKind, status }, secondsOf(lastError?.at)],
  ];
};

const secondsOf = (millis: number | undefined) =>
  millis === undefined ? undefined : millis / 1000;

const line = ([gauge, labels, value]: Sample): string => {
  const pairs = Object.entries(labels).flatMap(([label, text]) =>
    text === undefined ? [] : [`${label}="${escape(String(text))}"`],
  );
  return `${PREFIX}${gauge}{${pairs.join(",")}} ${value}\n`;
};

const escape = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
