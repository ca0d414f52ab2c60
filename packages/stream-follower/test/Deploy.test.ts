/** The files for operators: their metric names, images, flags and settings exist. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { Metrics, type Status } from "../src/index.ts";
import { metricsText } from "../src/core/gauges.ts";

const read = (name: string) => readFileSync(join(import.meta.dirname, "../deploy", name), "utf8");

type Tree = Readonly<Record<string, any>>;
const compose = parse(read("compose.yaml"), { merge: true }) as {
  readonly services: Readonly<Record<string, Tree>>;
  readonly secrets: object;
};
const documents = parseAllDocuments(read("kubernetes.yaml"));
const objects = documents.map((document) => document.toJS() as Tree);
const [deployment, statefulSet, budget] = objects as [Tree, Tree, Tree];

const facts = { limitMillis: 15_000, attempts: 1, failures: 1, startedAt: 0 };
const lastError = { tag: "SinkError", kind: "unavailable", message: "down", at: 0 };
/** A stream whose records give a sample of every computed gauge. */
const unwell: Status.StreamRecord = {
  ...{ stream: "stashes/pc", startedAt: 0, pendingPages: 1, headSeq: 2n, quarantined: 1 },
  parts: [
    { ...facts, kind: "commit", name: "commit", lastError },
    { ...facts, kind: "indexer", name: "state", seq: 1n },
  ],
};

/** Every metric of the package. A histogram appears as several series. */
const names = new Set([
  ...Object.values(Metrics).flatMap((metric) =>
    typeof metric === "object" && "id" in metric ? [metric.id] : [],
  ),
  ...(metricsText([unwell], 0).match(/(?<=^# TYPE )\w+/gmu) ?? []),
]);

interface Dashboard {
  readonly panels: ReadonlyArray<{
    readonly id: number;
    readonly targets: ReadonlyArray<{ readonly expr: string }>;
  }>;
}

it("draws every metric of the package and no other in the dashboard", () => {
  const { panels } = JSON.parse(read("dashboard.json")) as Dashboard;
  const drawn = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/game_data_\w+/gu) ?? []),
  );
  expect(new Set(drawn.map((name) => name.replace(/_bucket$/u, "")))).toEqual(names);
  expect(names.size).toBeGreaterThan(15);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

it("composes two followers, three brokers and consumers of all shards, each with a state of its own", () => {
  const { services } = compose;
  const all = Object.keys(services);
  const count = (prefix: string) => all.filter((name) => name.startsWith(prefix)).length;
  expect([count("follower"), count("nats"), count("consumer")]).toEqual([2, 3, 2]);
  expect(all).toHaveLength(7);
  for (const [name, service] of Object.entries(services)) {
    // A list: a condition would wait for a health check, and no image of a broker can run one.
    expect(all).toEqual(expect.arrayContaining(service["depends_on"] ?? []));
    expect(service).not.toHaveProperty("healthcheck");
    // A folder above would show a consumer the secrets beside this file.
    for (const volume of service["volumes"] ?? [])
      expect(volume).toMatch(new RegExp(`^\\./(?:state/${name}:/\\w+|nats\\.conf:\\S+:ro)$`, "u"));
  }
  const shards = Object.values(services).flatMap(({ environment }) => environment?.SHARD ?? []);
  expect(shards.toSorted()).toEqual(["0", "1"]);
});

it("passes flags that the command line has", () => {
  const commands = join(import.meta.dirname, "../../../apps/cli/src/commands");
  const stream = ["stream.ts", "streamStore.ts"]
    .map((file) => readFileSync(join(commands, file), "utf8"))
    .join("");
  const flags = [read("compose.yaml"), read("kubernetes.yaml")].flatMap((text) =>
    [...text.matchAll(/- --(store|realm|keep-bytes|ops-port|ops-host|until\S*)=/gu)].map(
      ([, flag]) => flag,
    ),
  );
  expect(new Set(flags)).toEqual(new Set(["realm", "store", "keep-bytes", "ops-port", "ops-host"]));
  for (const flag of ["store", "keep-bytes", "ops-port", "ops-host"])
    expect(stream).toContain(`"${flag}"`);
});

it("describes Kubernetes objects whose selectors find their pods, without root", () => {
  for (const { errors } of documents) expect(errors).toEqual([]);
  expect(objects.map(({ kind }) => kind)).toEqual([
    "Deployment",
    "StatefulSet",
    "PodDisruptionBudget",
  ]);
  for (const { kind, spec } of [deployment, statefulSet]) {
    expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
    const pod = spec.template.spec;
    expect([kind, pod.securityContext.runAsNonRoot]).toEqual([kind, true]);
    expect(pod.automountServiceAccountToken).toBe(false);
    for (const container of pod.containers) {
      expect(container.resources.limits.memory).toMatch(/^\d+Mi$/u);
      expect(container.securityContext.allowPrivilegeEscalation).toBe(false);
    }
  }
  expect(budget["spec"].selector).toEqual(deployment["spec"].selector);
});

it("probes what is served, on the port that is served, and lets Prometheus reach it", () => {
  const { metadata, spec } = deployment["spec"].template;
  const [container] = spec.containers;
  expect(container.livenessProbe.httpGet).toEqual({ path: "/health/live", port: "ops" });
  expect(container.readinessProbe.httpGet).toEqual({ path: "/health/ready", port: "ops" });
  const { containerPort } = container.ports.find(({ name }: { name: string }) => name === "ops");
  expect(container.args).toContain(`--ops-port=${containerPort}`);
  expect(container.args).toContain("--ops-host=0.0.0.0");
  expect(metadata.annotations["prometheus.io/port"]).toBe(String(containerPort));
});

it("starts the follower as a systemd unit with flags that exist, and not again after a policy", () => {
  const unit = read("follower.service");
  const settings = new Map(
    [...unit.matchAll(/^(\w+)=(.*)$/gmu)].map(([, name, value]) => [name!, value!]),
  );
  expect(settings.get("ExecStart")).toMatch(
    /gamedata stream follow .*--store sqlite:\S+ --ops-port \d+$/u,
  );
  expect(settings.get("Restart")).toBe("always");
  expect(settings.get("RestartPreventExitStatus")!.split(" ").map(Number)).toEqual([
    64, 65, 66, 70, 76, 77, 78,
  ]);
  const credential = /LoadCredential=([\w.]+):\//u.exec(unit)![1]!;
  expect(settings.get("Environment")).toContain(`GAME_DATA_CONFIG=%d/${credential}`);
  expect(unit).not.toMatch(/EnvironmentFile|SECRET/u);
  expect(Number(settings.get("TimeoutStopSec"))).toBeGreaterThanOrEqual(15);
});

it("runs what was built, without root, capabilities or a file system to write to", () => {
  const texts = [read("compose.yaml"), read("kubernetes.yaml")];
  for (const text of texts) expect(text).not.toMatch(/\bnpx\b|CLIENT_SECRET/u);
  const { secrets, services } = compose;
  for (const [name, service] of Object.entries(services)) {
    const { cap_drop: dropped, read_only: isReadOnly, security_opt: security } = service;
    expect([name, isReadOnly, dropped, security]).toEqual([
      ...[name, true, ["ALL"]],
      ["no-new-privileges:true"],
    ]);
    expect([name, service["user"]]).toEqual([name, "1000:1000"]);
    for (const secret of service["secrets"] ?? [])
      expect(secrets).toHaveProperty([secret.source ?? secret]);
  }
  const follower = services["follower-a"]!;
  expect(follower["environment"].GAME_DATA_CONFIG).toBe("/run/secrets/gamedata.json");
  const pods = objects.flatMap(({ spec }) => spec.template?.spec ?? []);
  for (const container of pods.flatMap((pod) => pod.containers)) {
    expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
    expect(container.securityContext.capabilities.drop).toEqual(["ALL"]);
  }
});

const FILES = ["compose.yaml", "kubernetes.yaml", "nats.conf"] as const;
type Files = Readonly<Record<(typeof FILES)[number], string>>;

/** A program of the deployment: its image, and what anybody on its machine can read of it. */
interface Started {
  readonly name: string;
  readonly image: string;
  readonly shown: ReadonlyArray<string>;
}

const startedBy = (files: Files): ReadonlyArray<Started> => {
  const { services } = parse(files["compose.yaml"], { merge: true }) as {
    readonly services: Readonly<Record<string, Record<string, any>>>;
  };
  const composed = Object.entries(services).map(([name, service]) => ({
    name,
    image: String(service["image"]),
    shown: [
      ...(service["command"] ?? []).map(String),
      ...Object.entries(service["environment"] ?? {}).map((pair) => pair.join("=")),
    ],
  }));
  const pods = parseAllDocuments(files["kubernetes.yaml"]).flatMap(
    (document) => (document.toJS() as Record<string, any>)["spec"].template?.spec ?? [],
  );
  const containers = pods.flatMap(({ containers: all }) =>
    all.map(({ args = [], env = [], image, name }: Record<string, any>) => ({
      name,
      image,
      shown: [...args, ...env.map((variable: unknown) => JSON.stringify(variable))],
    })),
  );
  return [...composed, ...containers];
};

const DIGEST = /^\$\{[A-Z_]+_IMAGE:\?\w+@sha256:digest\}$|^[\w./-]+@sha256:[0-9a-f]{64}$/u;
const PASSWORD = /\/\/[^/@]*:[^/@]*@|_PASSWORD|_TOKEN|_SECRET|secretKeyRef/u;
const USER = /nats:\/\/(?:([^:@/]*)[^@/]*@)?[^"]*/gu;

/** What is wrong with the files of a deployment. */
const faultsOf = (files: Files): ReadonlyArray<string> => {
  const conf = files["nats.conf"].replaceAll(/#.*/gu, "");
  const [, cluster = ""] = /^cluster \{(.*?)^\}/msu.exec(conf) ?? [];
  const users = [...conf.matchAll(/user: (\w+)[,\s]+password: (\S+?)[,\s]/gu)];
  const found = users.map(([, name]) => name);
  const started = startedBy(files).flatMap(({ image, name, shown }) => {
    const role = name.split("-")[0]!;
    const asked = shown.flatMap((text) => [...text.matchAll(USER)]).map(([, user]) => user);
    return [
      ...(DIGEST.test(image) ? [] : [`${name} runs ${image}, which is no digest`]),
      ...shown.filter((text) => PASSWORD.test(text)).map((text) => `${name} shows ${text}`),
      ...asked.filter((user) => user !== role).map((user) => `${name} connects as ${user}`),
      ...(role === "nats" || asked.length > 0 ? [] : [`${name} connects as nobody`]),
    ];
  });
  return [
    ...started,
    ...["follower", "consumer", "route"].flatMap((name) =>
      found.filter((each) => each === name).length === 1 ? [] : [`no one user ${name}`],
    ),
    ...users.flatMap(([, name, password]) =>
      password === `$NATS_${name!.toUpperCase()}_PASSWORD` ? [] : [`the password of ${name}`],
    ),
    ...(/authorization \{ user: route\b/u.test(cluster) ? [] : ["anybody joins the cluster"]),
    ...(/routes: \$NATS_ROUTES\s/u.test(cluster) ? [] : ["routes stand in the file"]),
  ];
};

describe("the rules of the deployments", () => {
  const files = Object.fromEntries(FILES.map((name) => [name, read(name)])) as Files;

  it("hold: digests, secrets in files, a user for each role", () => {
    expect(faultsOf(files)).toEqual([]);
    expect(startedBy(files)).toHaveLength(9);
  });
});
