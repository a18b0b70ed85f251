import { el } from '../../stanza.ts'
import type { BotProfile, Stanza } from '../../types.ts'
import type { Query } from '../router.ts'

/** Which bots there are. What they are like is asked by usync. */
export const bots: Query = (state) => {
  const listed = state.directory
    .all()
    .flatMap(({ jid, bot }) => (bot ? [el('bot', { jid, persona_id: bot.persona })] : []))
  return [el('bot', {}, [el('section', { type: 'all', name: 'All' }, listed)])]
}

export function botProfile(bot: BotProfile, jid: string): Stanza {
  const words = (tag: string, content: string): Stanza => el(tag, {}, Buffer.from(content))
  const commands = bot.commands.map(({ name, description }) =>
    el('command', {}, [words('name', name), words('description', description)]),
  )
  const prompts = bot.prompts.map(({ emoji, text }) =>
    el('prompt', {}, [words('emoji', emoji), words('text', text)]),
  )
  return el('bot', {}, [
    el('profile', { persona_id: bot.persona, jid }, [
      ...(bot.isDefault ? [el('default')] : []),
      words('name', bot.name),
      words('attributes', ''),
      words('description', bot.description),
      words('category', bot.category),
      el('commands', {}, [words('description', 'What it can do'), ...commands]),
      el('prompts', {}, prompts),
    ]),
  ])
}
