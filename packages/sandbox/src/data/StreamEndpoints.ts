/**
 * The two streams: public stash changes, and the hours of the currency exchange (§4.2).
 *
 * Full pages of the stash stream never change, so their bytes are kept, coded as they were asked
 * for; the page at the end is built anew each time.
 */
import { DataApi, InvalidQueryError, NotFoundError } from "@game-data/contract";
import * as Effect from "effect/Effect";
import * as HttpServerRequest from "effect/http/HttpServerRequest";
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder";
import { LruCache } from "../world/LruCache.ts";
import type { Realm } from "../world/Realm.ts";
import { World } from "../world/World.ts";
import type { GameOneRealm, WorldModel } from "../world/WorldModel.ts";
import { Responses } from "./Responses.ts";
import {
  type Coding,
  contentEncoding,
  encode,
  headersOnly,
  jsonBytes,
  toBytes,
} from "../http/jsonResponse.ts";

/** `GET /public-stash-tabs[/<realm>]?id=` */
export const PublicStashEndpoints = HttpApiBuilder.group(DataApi, "publicStashTabs", (handlers) =>
  Effect.gen(function* () {
    const world = yield* World;
    const { captureOr } = yield* Responses;
    const pages = new Pages(world);
    return handlers.handle(
      "page",
      captureOr(({ params, query }) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest;
          const realm: GameOneRealm = params.realm ?? "pc";
          const position = world.stream(realm).position(query.id, world.now());
          if (position === undefined) {
            return yield* InvalidQueryError.because("The id was not received from this endpoint.");
          }
          if (request.method === "HEAD") return headersOnly;
          const coding = contentEncoding(request.headers["accept-encoding"]);
          return jsonBytes(
            yield* Effect.promise(() => pages.bytes(realm, position, coding)),
            coding,
          );
        }),
      ),
    );
  }),
);

/** Bytes of pages that are kept at most, over all realms and codings. */
const CACHE_BYTES = 48 * 1024 * 1024;

/** Pages as bytes. */
class Pages {
  readonly #world: WorldModel;
  readonly #kept = new LruCache<Uint8Array>(CACHE_BYTES, (bytes) => bytes.length);

  constructor(world: WorldModel) {
    this.#world = world;
  }

  async bytes(realm: GameOneRealm, position: number, coding: Coding): Promise<Uint8Array> {
    const stream = this.#world.stream(realm);
    const now = this.#world.now();
    if (!stream.isFull(position, now)) return encode(toBytes(stream.page(position, now)), coding);
    const key = `${realm}/${position}`;
    const known = this.#kept.known(`${key}/${coding}`);
    if (known !== undefined) return known;
    const plain = this.#kept.get(`${key}/identity`, () => toBytes(stream.page(position, now)));
    const coded = await encode(plain, coding);
    return this.#kept.get(`${key}/${coding}`, () => coded);
  }
}

/** `GET /currency-exchange[/<realm>][/<id>]` */
export const ExchangeEndpoints = HttpApiBuilder.group(DataApi, "currencyExchange", (handlers) =>
  Effect.gen(function* () {
    const world = yield* World;
    const { answer, captureOr } = yield* Responses;
    const page = ({
      params,
    }: {
      readonly params: { readonly realm?: Realm; readonly id?: number };
    }) =>
      Effect.gen(function* () {
        const found = world.exchange.answer(params.realm ?? "pc", params.id, world.now());
        if (found.kind === "unknown") return yield* NotFoundError.because(`No hour ${params.id}.`);
        return yield* answer(() => ({
          next_change_id: found.nextChangeId,
          markets: found.markets,
        }));
      });
    return handlers.handle("page", captureOr(page)).handle("pageOfRealm", captureOr(page));
  }),
);
