// Runs one program in a worker of its own, so that every run starts anew and an endless loop cannot
// hold the page. What it prints goes to the page.
export type Message =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "end"; readonly ok: boolean };

const programs: Readonly<Record<string, () => Promise<unknown>>> = {
  home: () => import("../generated/home.ts"),
  "tree-link": () => import("../../../examples/tree-link/src/main.ts"),
  axios: () => import("../../../examples/axios/src/main.ts"),
  errors: () => import("../../../examples/errors/src/main.ts"),
};
const send = (message: Message) => postMessage(message);

const format = (value: unknown): string => {
  if (typeof value === "string") return value;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? `${inner}` : inner), 2);
};
for (const level of ["log", "info", "warn", "error"] as const)
  console[level] = (...values) => send({ kind: "line", text: values.map(format).join(" ") });

addEventListener("message", async ({ data: name }: MessageEvent<string>) => {
  try {
    await programs[name]!();
    send({ kind: "end", ok: true });
  } catch (error) {
    send({ kind: "line", text: format(error) });
    send({ kind: "end", ok: false });
  }
});
