import { randomInt } from 'node:crypto'

/** Characters that stand for one another in the ids of the gateway: hexadecimal, base32 and digits stay what they are. */
const CLASSES = ['234567', '0189', 'abcdef', 'ghijklmnopqrstuvwxyz', 'ABCDEF', 'GHIJKLMNOPQRSTUVWXYZ']
/** Characters from the end that are another. */
const CHANGED = 8

/** A value of the same form that nobody has: a new one for each request, since a client may make one its own. */
export function unknownLike(value: string): string {
  const [name = '', ...server] = value.split('@')
  const changed = name.replace(new RegExp(`.{1,${CHANGED}}$`), (end) => [...end].map(another).join(''))
  return [changed, ...server].join('@')
}

function another(character: string): string {
  const others = (CLASSES.find((one) => one.includes(character)) ?? character).replace(character, '')
  return others[randomInt(Math.max(1, others.length))] ?? character
}
