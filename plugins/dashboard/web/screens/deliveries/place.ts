/** The parameters of the address of a webhook. */
export function placeOf(session: string, endpoint = ''): string {
  return new URLSearchParams({
    ...(session ? { session } : {}),
    ...(endpoint ? { endpoint } : {}),
  }).toString()
}
