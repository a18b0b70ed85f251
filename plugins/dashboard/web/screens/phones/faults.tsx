import { useSignal } from '@preact/signals'
import { api } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { type TextKey, t } from '../../text.ts'
import type { Model } from './model.ts'
import type { FaultKind } from './types.ts'

/** Faults with a description; the others are listed by name. */
const COMMON: Readonly<Record<string, TextKey>> = {
  down: 'phones.faultDown',
  mediaDown: 'phones.faultMediaDown',
  companion_reg_refresh: 'phones.faultRefresh',
  rotateQr: 'phones.faultRotate',
  passkey: 'phones.faultPasskey',
  drop: 'phones.faultDrop',
  delay: 'phones.faultDelay',
  silent: 'phones.faultSilent',
  refuse: 'phones.faultRefuse',
  garble: 'phones.faultGarble',
}

/** Switches for faults of the network. */
export function Faults({ model }: { model: Model }) {
  const { Faults: armed, Kinds: kinds } = model.faults.value
  const phones = model.phones.value ?? []
  const chosen = useSignal('')
  const ms = useSignal('2000')
  const linked = phones.filter(({ Companions }) => Companions.length > 0)
  const phone = linked.find(({ Phone }) => Phone === chosen.value)?.Phone ?? linked[0]?.Phone ?? ''

  const isArmed = (kind: FaultKind, Phone: string): boolean =>
    armed.some((one) => one.Fault === kind.Fault && (one.Phone ?? '') === Phone)
  const set = (Fault: string, Phone: string, On: boolean) =>
    model.attempt(() =>
      api.call('post', '/sandbox/faults', {
        Fault,
        On,
        ...(Phone ? { Phone } : {}),
        ...(On && /^(delay|passkeyLate|timelock)$/.test(Fault) ? { Ms: Number(ms.value) || 2_000 } : {}),
      }),
    )

  const row = (kind: FaultKind, Phone: string) => {
    const text = COMMON[kind.Fault]
    const label = text ? t(text) : kind.Fault
    if (kind.Stays)
      return (
        <label key={kind.Fault} class="row">
          <input
            type="checkbox"
            checked={isArmed(kind, Phone)}
            onChange={({ currentTarget }) => void set(kind.Fault, Phone, currentTarget.checked)}
          />
          {label}
        </label>
      )
    return (
      <Button key={kind.Fault} onPress={() => set(kind.Fault, Phone, true)}>
        {label}
      </Button>
    )
  }
  const group = (list: readonly FaultKind[], Phone: string) => (
    <>
      <div class="phones-faults">
        {list.filter(({ Fault }) => COMMON[Fault]).map((kind) => row(kind, Phone))}
      </div>
      <details>
        <summary>{t('phones.moreFaults')}</summary>
        <div class="phones-faults mono">
          {list.filter(({ Fault }) => !COMMON[Fault]).map((kind) => row(kind, Phone))}
        </div>
      </details>
    </>
  )

  return (
    <section class="card stack" aria-labelledby="faults-title">
      <div class="row">
        <h2 id="faults-title">{t('phones.faults')}</h2>
        <span class="muted" role="status">
          {t('phones.armed', { count: armed.length })}
        </span>
        <span class="bar-space" />
        <Button isDisabled={armed.length === 0} onPress={() => set('clear', '', true)}>
          {t('phones.clearFaults')}
        </Button>
      </div>
      <h3>{t('phones.faultsOfNetwork')}</h3>
      {group(
        kinds.filter((kind) => kind.Phone === 'none'),
        '',
      )}
      {phone ? (
        <>
          <div class="row">
            <h3>{t('phones.faultsOfPhone')}</h3>
            <label>
              <span class="sr-only">{t('phones.faultPhone')}</span>
              <select
                value={phone}
                onChange={({ currentTarget }) => {
                  chosen.value = currentTarget.value
                }}
              >
                {linked.map(({ Phone, Name }) => (
                  <option key={Phone} value={Phone}>
                    {Name}
                  </option>
                ))}
              </select>
            </label>
            <label class="row">
              {t('phones.faultMs')}
              <input
                type="number"
                min="0"
                value={ms.value}
                onInput={({ currentTarget }) => {
                  ms.value = currentTarget.value
                }}
              />
            </label>
          </div>
          {group(
            kinds.filter((kind) => kind.Phone !== 'none'),
            phone,
          )}
        </>
      ) : null}
    </section>
  )
}
