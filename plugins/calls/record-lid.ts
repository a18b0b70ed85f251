import type { LogEvent, Sessions } from 'wamux/plugin'

/** An offer names its caller by LID and number, which Baileys drops: stored, so that later signals have the number too. */
export async function recordLid(
  { session, body }: LogEvent,
  { sessions }: { sessions: Sessions },
): Promise<void> {
  const { CallCreator: creator, CallCreatorAlt: twin } = body['event'] as Record<string, string>
  const [lid, pn] = creator?.endsWith('@lid') ? [creator, twin] : [twin, creator]
  const socket = (await sessions.byId(session))?.socket
  if (lid && pn) await socket?.wa.signalRepository.lidMapping.storeLIDPNMappings([{ lid, pn }])
}
