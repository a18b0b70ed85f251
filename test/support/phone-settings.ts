import { expect } from 'chai'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { until } from './probe.ts'

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
  const found = await until(
    () => {
      const action = settingOf(phone, ...index)
      return action && matches(action) ? action : undefined
    },
    5000,
    () => `${index.join(' ')} is ${JSON.stringify(settingOf(phone, ...index))}`,
  )
  expect(phone.view()['SettingsFaults']).to.deep.equal([])
  return found
}
