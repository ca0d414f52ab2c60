/**
 * Many sandboxes in one process, each under a path of its own: for test runners whose tests run in
 * parallel against one server. Every world has its own clock, state, faults, limits and journal;
 * `/control/reset` of one resets that one alone.
 *
 * `http://127.0.0.1:PORT/worlds/KEY` is the address of OAuth server and data API, `/control` below
 * it the control plane. The first request to a key makes its world; nothing is ever dropped unasked.
 * State lies in memory. Within one JavaScript process `createSandboxHandler` for each test costs the
 * same and needs no key.
 */
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { type Application, infoOf, type SandboxInfo } from "./Application.ts";
import { NOWHERE, type SandboxOptions } from "./Config.ts";
import { errorCodeOfStatus } from "./contract.ts";
import { controlOf, type SandboxControl } from "./control.ts";
import { refusalOf } from "./control/ControlPlane.ts";
import { failureResponse, instantOf, readBody } from "./control/Route.ts";
import { SandboxClosed, SandboxStartError } from "./Errors.ts";
import { controlError, NO_STORE } from "./http/fallbacks.ts";
import { type HostCheck, makeHostCheck } from "./http/hostCheck.ts";
import { empty, json, pathOf, type RequestInput, type ResponseOutput } from "./http/messages.ts";
import { nodeListener, type Served } from "./http/nodeListener.ts";
import { openSockets } from "./http/sockets.ts";
import { WorldDocument } from "./optionDocuments.ts";
import { checkOptions, type MakeApplication, prepare } from "./StartSandbox.ts";
import { memoryEngine } from "./store/memory.ts";

/** Options of `startWorlds`: those of each world, and of the one port. */
export interface WorldsOptions extends Omit<SandboxOptions, "file" | "singlePort"> {
  /** At most so many worlds at once; a request to another key is 503. Default 256. */
  readonly mostWorlds?: number | undefined;
}

/** A server of worlds. */
export interface Worlds extends AsyncDisposable {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The world of a key, made if there is none. Throws `SandboxStartError` where it cannot be. */
  at(key: string): SandboxInfo & SandboxControl;
  /** Drops the world of a key; the next request makes it anew. */
  remove(key: string): void;
  /** Stops answering, and drops every world. */
  close(): Promise<void>;
}

type Choice = Pick<SandboxOptions, "now" | "seed" | "world">;

interface World {
  readonly application: Application;
  readonly answer: ReturnType<typeof nodeListener>;
  /** Responses that are under way. */
  readonly open: Set<ServerResponse>;
}

const KEY = /^[a-z0-9-]{1,40}$/u;
/** A path within a world. */
const WITHIN = /^\/worlds\/([a-z0-9-]{1,40})(\/.*)$/su;
const ITSELF = /^\/worlds\/([a-z0-9-]{1,40})$/u;
const KEY_RULE = "a key has 1 to 40 of the characters a-z, 0-9 and -";

const makeRegister = (origin: string, makeApplication: MakeApplication, most: number) => {
  const worlds = new Map<string, World>();
  const isFull = (): boolean => worlds.size >= most;

  /** Drops the world of a key; who waits for an answer of it gets none. */
  const drop = (key: string): void => {
    const open = worlds.get(key)?.open ?? [];
    worlds.delete(key);
    for (const response of open) response.destroy();
  };

  /** Makes the world of a key, in the place of the one that there is; undefined beyond the bound. */
  const make = (key: string, choice: Choice = {}): World | undefined => {
    if (!worlds.has(key) && isFull()) return undefined;
    const url = `${origin}/worlds/${key}`;
    const addresses = { authUrl: url, baseUrl: url, controlUrl: `${url}/control` };
    const own = Object.entries(choice).filter(([, value]) => value !== undefined);
    drop(key);
    const application = makeApplication(addresses, memoryEngine(), Object.fromEntries(own));
    const answer = nodeListener(application, undefined);
    const world: World = { application, answer, open: new Set() };
    worlds.set(key, world);
    return world;
  };

  return {
    worlds,
    isFull,
    drop,
    make,
    /** The world of a key, made if there is none. */
    at: (key: string) => worlds.get(key) ?? make(key),
    /** Why there is no further one. */
    full: `there are ${most} worlds already; DELETE /worlds/KEY frees one`,
  };
};

type Register = ReturnType<typeof makeRegister>;

/** Starts a server of worlds on one port. */
export const startWorlds = async (options: WorldsOptions = {}): Promise<Worlds> => {
  await checkOptions(options, "WorldsDocument");
  const { mostWorlds = 256, ...each } = options;
  const shared: SandboxOptions = { ...each, singlePort: true };
  if (shared.file !== undefined)
    throw new SandboxStartError({ reason: "file: worlds keep their state in memory" });
  const make = await prepare(shared);
  // What is wrong with an option is told here, not to the first request.
  const first = make(NOWHERE, memoryEngine(), {});
  await first.ready("control");
  const sockets = await openSockets(shared);
  const origin = sockets.addresses.authUrl;
  const register = makeRegister(origin, make, mostWorlds);
  const checkHost = makeHostCheck(
    { authUrl: origin, baseUrl: origin, controlUrl: origin },
    shared.hosts,
  );
  const plane = nodeListener(managing(register, first, checkHost), "control");
  sockets.serve(() => (message, response) => {
    const [, key, path] = WITHIN.exec(message.url ?? "/") ?? [];
    // A page that rebinds its name to this machine makes no world.
    const host = checkHost(message.headers.host);
    const isOurs = key !== undefined && host.refused === undefined;
    const world =
      isOurs && (register.worlds.has(key) || !isOfOtherSite(message, host.origin))
        ? register.at(key)
        : undefined;
    if (world === undefined) return plane(message, response);
    message.url = path!;
    world.open.add(response);
    response.once("close", () => world.open.delete(response));
    return world.answer(message, response);
  });

  let isClosed = false;
  const close = async (): Promise<void> => {
    isClosed = true;
    await sockets.close();
    register.worlds.clear();
  };
  return {
    origin,
    at: (key) => {
      if (isClosed) throw new SandboxClosed({ url: origin });
      if (!KEY.test(key)) throw new SandboxStartError({ reason: KEY_RULE, world: key });
      const world = register.at(key);
      if (world === undefined) throw new SandboxStartError({ reason: register.full, world: key });
      const info = infoOf(world.application);
      return { ...info, ...controlOf(info) };
    },
    remove: (key) => {
      if (isClosed) throw new SandboxClosed({ url: origin });
      register.drop(key);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
};

/** Whether a page of another origin sent a request: it may use a world, and make none. */
const isOfOtherSite = (
  { headers }: { readonly headers: Pick<IncomingHttpHeaders, "origin" | "sec-fetch-site"> },
  own: string | undefined,
): boolean =>
  (headers.origin !== undefined && headers.origin !== own) ||
  headers["sec-fetch-site"] === "cross-site";

/** Answers what is within no world: the list of worlds, making and dropping one. */
const managing = (
  register: Register,
  { config: { controlKey }, parts, platform }: Application,
  checkHost: HostCheck,
): Served => {
  const manage = (request: RequestInput): ResponseOutput => {
    const path = pathOf(request.url);
    if (path === "/worlds" && request.method === "GET")
      return json({ worlds: [...register.worlds.keys()] }, 200, NO_STORE);
    if (WITHIN.test(path))
      return register.isFull()
        ? full(register)
        : controlError("a page of another origin makes no world", 403);
    const key = ITSELF.exec(path)?.[1];
    if (key === undefined) return controlError(`use /worlds/KEY; ${KEY_RULE}`, 404);
    switch (request.method) {
      case "PUT":
        return put(register, key, request);
      case "DELETE":
        register.drop(key);
        return empty(204);
      case "GET":
        return empty(308, { location: `/worlds/${key}/` });
      default:
        return { ...controlError(`use ${ALLOWED}`, 405), headers: { allow: ALLOWED } };
    }
  };
  return {
    parts,
    platform,
    ready: () => undefined,
    handle: (request) => {
      try {
        // Within a world its own control plane asks for the key.
        const key = WITHIN.test(pathOf(request.url)) ? undefined : controlKey;
        return refusalOf(request, checkHost, key) ?? manage(request);
      } catch (cause) {
        return failureResponse(cause, parts.log);
      }
    },
  };
};

const put = (register: Register, key: string, request: RequestInput): ResponseOutput => {
  const choice = request.body.length === 0 ? {} : readBody(WorldDocument, request);
  const now = choice.now === undefined ? undefined : instantOf(choice.now, "/now");
  const isNew = !register.worlds.has(key);
  const { frozen = false, ...made } = choice;
  const world = register.make(key, made);
  if (frozen) world?.application.clock.freeze(now);
  return world === undefined
    ? full(register)
    : json(infoOf(world.application), isNew ? 201 : 200, NO_STORE);
};

const ALLOWED = "PUT, DELETE, GET";

const full = ({ full: reason }: Register): ResponseOutput =>
  json({ reason, error: { code: errorCodeOfStatus(503), message: reason } }, 503, NO_STORE);
