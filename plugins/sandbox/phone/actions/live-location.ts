import { type Action, type ActionParts, requireField } from './action.ts'

const FIELDS = {
  Latitude: 'degreesLatitude',
  Longitude: 'degreesLongitude',
  Accuracy: 'accuracyInMeters',
  Speed: 'speedInMps',
  Heading: 'degreesClockwiseFromMagneticNorth',
  Sequence: 'sequenceNumber',
  Age: 'timeOffset',
} as const

/**
 * Begins to share its live location with the caption `Text`: `Data` has the fields above. Only the message with the first position is
 * sent: no client that was read knows how later ones reach other phones.
 */
export async function shareLiveLocation(
  parts: ActionParts,
  action: Action,
): Promise<Record<string, unknown>> {
  const given = Object.entries(FIELDS).flatMap(([name, field]) => {
    const value = action.Data?.[name]
    return value === undefined ? [] : [[field, Number(value)]]
  })
  const liveLocationMessage = { ...Object.fromEntries(given), caption: action.Text ?? '' }
  const message = parts.wire.proto.Message.fromObject({ liveLocationMessage })
  return { Id: await parts.sendMessage(parts.chatOf(requireField(action, 'Chat')), message) }
}
