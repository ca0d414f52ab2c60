/**
 * The command tree of `gamedata`.
 */
import {
  doctorCommand,
  explainCommand,
  loginCommand,
  logoutCommand,
  tokenCommand,
  whoamiCommand,
} from "./commands/Account.ts";
import { Command } from "effect/cli";
import { charactersCommand } from "./commands/Characters.ts";
import { exchangeCommand } from "./commands/Exchange.ts";
import { filtersCommand } from "./commands/Filters.ts";
import { ladderCommand } from "./commands/Ladder.ts";
import { leaguesCommand } from "./commands/Leagues.ts";
import { limitsCommand } from "./commands/Limits.ts";
import { pvpCommand } from "./commands/Pvp.ts";
import { sandboxCommand } from "./commands/Sandbox.ts";
import { schemasCommand } from "./commands/Schemas.ts";
import { guildStashCommand, stashCommand } from "./commands/Stash.ts";
import { streamCommand } from "./commands/Stream.ts";
import { treeCommand } from "./commands/Tree.ts";

/** The root command. */
export const gamedata = Command.make("gamedata").pipe(
  Command.withDescription("The Game Data API at a shell prompt"),
  Command.withSubcommands([
    { group: "Signing in", commands: [loginCommand, logoutCommand, whoamiCommand, tokenCommand] },
    {
      group: "The account",
      commands: [charactersCommand, stashCommand, guildStashCommand, filtersCommand],
    },
    {
      group: "The service",
      commands: [
        leaguesCommand,
        ladderCommand,
        pvpCommand,
        streamCommand,
        exchangeCommand,
        limitsCommand,
      ],
    },
    {
      group: "Tools",
      commands: [treeCommand, schemasCommand, sandboxCommand, doctorCommand, explainCommand],
    },
  ]),
);
