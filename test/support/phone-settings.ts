import { expect } from 'chai'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { eventually } from './eventually.ts'

type Settings = { Index: string[]; Action: Record<string, unknown> }[]

/** The setting of that index as the phone, which verifies all that it reads, has it. */
export function settingOf(phone: Phone, ...index: string[]): Record<string, unknown> | undefined {
  const settings = phone.view()['Settings'] as Settings
  return settings.find(({ Index }) => index.every((part, at) => Index[at] === part))?.Action
}

/** Waits until the phone has it, and has found no fault in anything that it read. */
export async function phoneHas(
  phone: Phone,
  index: string[],
  matches: (action: Record<string, unknown>) => boolean = () => true,
): Promise<Record<string, unknown>> {
  const found = await eventually(
    () => {
      const action = settingOf(phone, ...index)
      if (action && matches(action)) return action
      throw new Error(`it is ${JSON.stringify(action)}`)
    },
    `${index.join(' ')} on the phone`,
  )
  expect(phone.view()['SettingsFaults']).to.deep.equal([])
  return found
}
