/**
 * The client of one user without Effect: every method runs its effect as a promise.
 */
import { type GroupName, operations, type RouteName } from "@game-data/contract/routes";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type { CallOptions } from "../CallOptions.ts";
import type { GameApiService } from "../GameApiService.ts";
import type { AccountOptions, UnlistedRequest } from "../Model.ts";
import { defineGroups, keepGroups } from "../operations/makeApi.ts";
import { isPaged } from "../operations/paging.ts";
import { type PromiseCredentials, toCredentials } from "./credentials.ts";
import type { PromiseApi, PromiseForecast } from "./Model.ts";
import { pagesOf } from "./pages.ts";
import { openRaw } from "./raw.ts";
import type { Runner } from "./Runner.ts";

class PromiseClient {
  protected readonly api: GameApiService;
  protected readonly runner: Runner;

  constructor(api: GameApiService, runner: Runner) {
    this.api = api;
    this.runner = runner;
  }

  static {
    defineGroups(PromiseClient.prototype, (self, name) => self.group(name));
  }

  private group(name: GroupName): object {
    const { api, runner } = this;
    const group: Record<string, unknown> = {};
    const methods = api[name] as unknown as Readonly<Record<string, AnyMethod>>;
    for (const [key, method] of Object.entries(methods)) {
      group[key] = (...args: ReadonlyArray<unknown>) => {
        const signal = args.findLast(hasSignal)?.signal;
        const effect = method(...args);
        return key === "raw" ? openRaw(runner, effect, signal) : runner.run(effect, signal);
      };
    }
    for (const method of Object.keys(operations[name])) {
      const operation = `${name}.${method}` as RouteName;
      if (!isPaged(operation)) continue;
      const { entries, pages } = pagesOf(api, runner, operation);
      Object.assign(group, { [`${method}Pages`]: pages, [`${method}Entries`]: entries });
    }
    return group;
  }

  request(unlisted: UnlistedRequest, options?: CallOptions) {
    return this.runner.run(this.api.request(unlisted, options), options?.signal);
  }

  as(credentials: PromiseCredentials, options?: AccountOptions) {
    return new PromiseClient(this.api.as(toCredentials(credentials), options), this.runner);
  }

  withResponse<A>(calls: (api: PromiseApi) => Promise<A>) {
    const { api, runner } = this;
    return runner.run(
      api.withResponse((listening) =>
        Effect.callback<A, unknown>((resume) => {
          calls(new PromiseClient(listening, runner) as unknown as PromiseApi).then(
            (data) => resume(Effect.succeed(data)),
            (error: unknown) => resume(Effect.fail(error)),
          );
        }),
      ),
    );
  }

  forecast(...args: Parameters<GameApiService["forecast"]>): Promise<PromiseForecast> {
    const forecast = Effect.map(this.api.forecast(...args), ({ duration, ...rest }) => ({
      ...rest,
      durationMillis: Duration.toMillis(duration),
    }));
    return this.runner.run(forecast);
  }

  limits(...args: Parameters<GameApiService["limits"]>) {
    return this.runner.run(this.api.limits(...args));
  }
}

/** The client that `createGameApi` returns. It keeps its groups and ends the calls of all users. */
export class RootClient extends PromiseClient {
  static {
    keepGroups(RootClient.prototype);
  }

  readonly close = () => this.runner.close();
}

type AnyMethod = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>;

const hasSignal = (value: unknown): value is { readonly signal: AbortSignal | undefined } =>
  typeof value === "object" && value !== null && "signal" in value;
