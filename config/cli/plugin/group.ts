import type { Command } from 'commander'

/** The command `plugin`, with subcommands for one plugin. */
export function pluginGroup(program: Command): Command {
  const known = program.commands.find((command) => command.name() === 'plugin')
  return known ?? program.command('plugin').description('develop or maintain one plugin')
}
