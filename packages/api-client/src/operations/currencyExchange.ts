/** The history of the currency exchange, hour by hour. */
import type { CurrencyExchangePage } from "@game-data/schemas";
import type { GameApiService } from "../GameApiService.ts";
import { call, open, type Client } from "./Client.ts";

const page = {
  name: "currencyExchange.page",
  pick: (body: CurrencyExchangePage) => body,
  isNullable: true,
} as const;

export const currencyExchange = (client: Client): GameApiService["currencyExchange"] => ({
  page: (request, options) => call(client, page, request ?? {}, options),
  raw: (request, options) => open(client, page, request ?? {}, options),
});
