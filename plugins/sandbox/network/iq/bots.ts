import { el, textNode } from '../../stanza.ts'
import type { BotProfile, Stanza } from '../../types.ts'
import type { QueryHandler } from './query.ts'

/** Lists the bots; their profiles are queried by usync. */
export const bots: QueryHandler = (state) => {
  const listed = state.directory
    .all()
    .flatMap(({ jid, bot }) => (bot ? [el('bot', { jid, persona_id: bot.persona })] : []))
  return [el('bot', {}, [el('section', { type: 'all', name: 'All' }, listed)])]
}

export function botProfile(bot: BotProfile, jid: string): Stanza {
  const commands = bot.commands.map(({ name, description }) =>
    el('command', {}, [textNode('name', name), textNode('description', description)]),
  )
  const prompts = bot.prompts.map(({ emoji, text }) =>
    el('prompt', {}, [textNode('emoji', emoji), textNode('text', text)]),
  )
  return el('bot', {}, [
    el('profile', { persona_id: bot.persona, jid }, [
      ...(bot.isDefault ? [el('default')] : []),
      textNode('name', bot.name),
      textNode('attributes', ''),
      textNode('description', bot.description),
      textNode('category', bot.category),
      el('commands', {}, [textNode('description', 'What it can do'), ...commands]),
      el('prompts', {}, prompts),
    ]),
  ])
}
