/**
 * The command tree of `gamedata`.
 */
import { Command } from "effect/cli";
import { apiCommand } from "./commands/Api.ts";
import { charactersCommand } from "./commands/Characters.ts";
import { configCommand } from "./commands/Config.ts";
import { completionCommand } from "./commands/Completion.ts";
import { conformanceCommand } from "./commands/Conformance.ts";
import { doctorCommand, explainCommand } from "./commands/Doctor.ts";
import { exchangeCommand } from "./commands/Exchange.ts";
import { filtersCommand } from "./commands/Filters.ts";
import { ladderCommand } from "./commands/Ladder.ts";
import { leaguesCommand } from "./commands/Leagues.ts";
import { limitsCommand } from "./commands/Limits.ts";
import { openCommand } from "./commands/Open.ts";
import { pvpCommand } from "./commands/Pvp.ts";
import { sandboxCommand } from "./commands/Sandbox.ts";
import { schemasCommand } from "./commands/Schemas.ts";
import {
  authCommand,
  loginCommand,
  logoutCommand,
  tokenCommand,
  whoamiCommand,
} from "./commands/SignIn.ts";
import { guildStashCommand, stashCommand } from "./commands/Stash.ts";
import { streamCommand } from "./commands/Stream.ts";
import { treeCommand } from "./commands/Tree.ts";
import { watchCommand } from "./commands/Watch.ts";

/** The root command. */
export const gamedata = Command.make("gamedata").pipe(
  Command.withDescription("Work with the Game Data API from the command line."),
  Command.withExamples([
    { command: "gamedata doctor", description: "Check the configuration" },
    { command: "gamedata login", description: "Sign in" },
    { command: "gamedata characters --json", description: "Characters as JSON" },
    {
      command: "gamedata sandbox exec -- gamedata ladder Standard",
      description: "Try a command without an account",
    },
  ]),
  Command.withSubcommands([
    {
      group: "Signing in",
      commands: [loginCommand, logoutCommand, whoamiCommand, authCommand, tokenCommand],
    },
    {
      group: "Account",
      commands: [charactersCommand, stashCommand, guildStashCommand, filtersCommand],
    },
    {
      group: "Service",
      commands: [
        leaguesCommand,
        ladderCommand,
        pvpCommand,
        streamCommand,
        exchangeCommand,
        limitsCommand,
        watchCommand,
        apiCommand,
        conformanceCommand,
      ],
    },
    { group: "Offline tools", commands: [treeCommand, schemasCommand, sandboxCommand] },
    {
      group: "Configuration and help",
      commands: [
        configCommand,
        doctorCommand,
        explainCommand,
        openCommand,
        completionCommand((): Command.Command.Any => gamedata),
      ],
    },
  ]),
);
