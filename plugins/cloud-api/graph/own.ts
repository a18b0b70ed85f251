import { type GatewayServices, gatewayError, type Session, T } from 'wamux/plugin'
import { assertNumberId } from './number-id.ts'

/** An answer in Graph's form: it is sent as it is, without the envelope of the gateway. */
export const Graph = (description: string) => T.Unknown({ contentMediaType: 'application/json', description })

/** Throws CLOUD_OBJECT_UNKNOWN where the path names another number, or the session has the dialect off. */
export function assertOwn(
  session: Session,
  id: string | undefined,
  sessionSettings: GatewayServices['sessionSettings'],
): void {
  assertNumberId(session, id)
  if (!sessionSettings.isOn(session.id, 'cloud-api')) throw gatewayError('CLOUD_OBJECT_UNKNOWN', [id])
}
