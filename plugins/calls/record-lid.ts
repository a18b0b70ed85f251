import type { LogEvent, Sessions } from 'wamux/plugin'

/** An offer names its caller by LID and number. Baileys drops the number, so it is stored here for later signals. */
export async function recordLid(
  { session, body }: LogEvent,
  { sessions }: { sessions: Sessions },
): Promise<void> {
  const { CallCreator: creator, CallCreatorAlt: twin } = body['event'] as Record<string, string>
  const [lid, pn] = creator?.endsWith('@lid') ? [creator, twin] : [twin, creator]
  const socket = (await sessions.byId(session))?.socket
  if (lid && pn) await socket?.wa.signalRepository.lidMapping.storeLIDPNMappings([{ lid, pn }])
}
