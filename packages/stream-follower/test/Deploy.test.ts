/** The deployments: secrets in files, images by digest, no rights, and flags that the program has. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";

const read = (name: string): string =>
  readFileSync(join(import.meta.dirname, "../deploy", name), "utf8");

// oxlint-disable-next-line typescript/no-explicit-any -- documents of other programs
type Tree = Record<string, any>;

const compose = parse(read("compose.yaml"), { merge: true }) as Tree;
const services = compose["services"] as Readonly<Record<string, Tree>>;
const objects = parseAllDocuments(read("kubernetes.yaml")).map((one) => one.toJS() as Tree);
const [deployment, budget] = objects as [Tree, Tree];
const pod = deployment["spec"].template.spec as Tree;
const container = pod["containers"][0] as Tree;
const unit = new Map(
  [...read("follower.service").matchAll(/^(\w+)=(.*)$/gmu)].map(([, name, value]) => [
    name!,
    value!,
  ]),
);

/** The arguments of each follower. */
const commands: Readonly<Record<string, ReadonlyArray<string>>> = {
  compose: services["follower-a"]!["command"],
  kubernetes: container["args"],
  systemd: unit.get("ExecStart")!.split(" ").slice(2),
};

it("the Compose file runs a database and two followers, each without root and capabilities", () => {
  expect(Object.keys(services)).toEqual(["postgres", "follower-a", "follower-b"]);
  for (const service of Object.values(services)) {
    expect(service["user"]).toBe("1000:1000");
    expect(service["read_only"]).toBe(true);
    expect(service["cap_drop"]).toEqual(["ALL"]);
    expect(service["security_opt"]).toEqual(["no-new-privileges:true"]);
    for (const secret of service["secrets"]) expect(compose["secrets"]).toHaveProperty([secret]);
  }
  // A folder above it would show the database the secrets beside this file.
  expect(services["postgres"]!["volumes"]).toEqual(["./state/postgres:/state"]);
});

it("the selectors of the Kubernetes objects find their pods, which run without root", () => {
  expect(objects.map(({ kind }) => kind)).toEqual(["Deployment", "PodDisruptionBudget"]);
  const { selector, template } = deployment["spec"];
  expect(template.metadata.labels).toMatchObject(selector.matchLabels);
  expect(budget["spec"].selector).toEqual(selector);
  expect(pod["securityContext"].runAsNonRoot).toBe(true);
  expect(pod["automountServiceAccountToken"]).toBe(false);
  expect(container["securityContext"]).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
  expect(container["resources"].limits.memory).toMatch(/^\d+Mi$/u);
});

it("the Kubernetes probes and Prometheus use paths and the port that the follower serves", () => {
  expect(container["livenessProbe"].httpGet).toEqual({ path: "/health/live", port: "ops" });
  expect(container["readinessProbe"].httpGet).toEqual({ path: "/health/ready", port: "ops" });
  const [{ containerPort }] = container["ports"];
  expect(container["args"]).toContain(`--ops-port=${containerPort}`);
  expect(container["args"]).toContain("--ops-host=0.0.0.0");
  const { annotations } = deployment["spec"].template.metadata;
  expect(annotations["prometheus.io/port"]).toBe(String(containerPort));
});

it("the systemd unit restarts the follower, but not after an exit code that a restart cannot fix", () => {
  expect(unit.get("Restart")).toBe("always");
  expect(unit.get("RestartPreventExitStatus")!.split(" ").map(Number)).toEqual([
    64, 65, 66, 70, 76, 77, 78,
  ]);
  // gamedata exits with 130 after SIGTERM.
  expect(unit.get("SuccessExitStatus")).toBe("130");
  expect(unit.get("Environment")).toContain("GAME_DATA_CONFIG=%d/gamedata.json");
  expect(unit.get("LoadCredential")).toBe("gamedata.json:/etc/gamedata.json");
  expect(Number(unit.get("TimeoutStopSec"))).toBeGreaterThanOrEqual(15);
});

it.each(Object.entries(commands))(
  "the deployment for %s passes only flags that the program has",
  (_, [group, name, ...rest]) => {
    expect([group, name]).toEqual(["stream", "follow"]);
    const folder = join(import.meta.dirname, "../../../apps/cli/src");
    const program = ["commands/stream.ts", "follow.ts"]
      .map((file) => readFileSync(join(folder, file), "utf8"))
      .join("");
    for (const [, flag] of rest.join(" ").matchAll(/--([\w-]+)/gu))
      expect(program).toMatch(new RegExp(`"${flag}"|\\b${flag}:`, "u"));
  },
);

const IMAGE = /^\$\{[A-Z_]+_IMAGE:\?\w+@sha256:digest\}$|^[\w./-]+@sha256:[0-9a-f]{64}$/u;
const SECRET = /:[^/@]*@|(?:PASSWORD|TOKEN|SECRET)(?!_FILE)|secretKeyRef/u;

it("the deployments run images by digest, and show no secret in arguments or the environment", () => {
  const shown = [
    ...Object.values(commands).flat(),
    ...Object.values(services).map(({ environment }) => JSON.stringify(environment)),
    JSON.stringify(container["env"]),
  ];
  for (const text of shown) expect(text).not.toMatch(SECRET);
  for (const { image } of [...Object.values(services), container]) expect(image).toMatch(IMAGE);
  for (const name of ["compose", "kubernetes"])
    expect(commands[name]!.find((text) => text.startsWith("--store="))).toMatch(
      /^--store=postgres:\/\/follower@postgres:5432\/pages\?passwordFile=\/\S+$/u,
    );
  expect(commands["systemd"]!.join(" ")).toContain("--store sqlite:/var/lib/follower/pages.db");
});
