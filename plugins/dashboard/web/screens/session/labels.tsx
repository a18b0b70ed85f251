import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { api, of } from '../../api.ts'
import { FormDialog } from '../../forms/form-dialog.tsx'
import { Button } from '../../parts/button.tsx'
import { t } from '../../text.ts'
import type { ChangeProps } from './rename.tsx'

/** The bounds of the interface. */
const MOST = 32
const NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]*$/

interface Label {
  readonly key: number
  readonly name: string
  readonly value: string
}

/** All labels of a session at once: they are stored as a whole. */
export function EditLabels({ session: { Id, Labels }, isOpen, onClose, onSaved }: ChangeProps) {
  const rows = useSignal<readonly Label[]>([])
  const next = useRef(0)
  const list = useRef<HTMLDivElement>(null)
  const make = (name = '', value = ''): Label => {
    next.current += 1
    return { key: next.current, name, value }
  }
  useEffect(() => {
    if (!isOpen) return
    const known = Object.entries(Labels).map(([name, value]) => make(name, value))
    rows.value = known.length > 0 ? known : [make()]
  }, [isOpen])

  const used = rows.value.filter(({ name, value }) => name || value)
  const faults = new Map(used.flatMap((row) => faultOf(row, used)))
  const set = (key: number, change: Partial<Label>): void => {
    rows.value = rows.value.map((row) => (row.key === key ? { ...row, ...change } : row))
  }
  function add(): void {
    rows.value = [...rows.value, make()]
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>('.label-row:last-of-type input')?.focus(),
    )
  }

  return (
    <FormDialog
      title={t('session.editLabels')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('settings.save')}
      isReady={faults.size === 0}
      run={async () => {
        const labels = Object.fromEntries(used.map(({ name, value }) => [name, value]))
        await api.post('/session/update', { Labels: labels }, of(Id))
        await onSaved()
      }}
    >
      <p class="hint" id="labels-hint">
        {t('session.labelsHint')}
      </p>
      <div class="stack-tight" ref={list}>
        {rows.value.map(({ key, name, value }) => (
          <div key={key} class="label-row">
            <div>
              <input
                aria-label={t('session.labelName')}
                aria-describedby={`labels-hint label-${key}`}
                aria-invalid={faults.has(key) ? 'true' : undefined}
                placeholder={t('session.labelName')}
                value={name}
                maxLength={64}
                autocomplete="off"
                onInput={({ currentTarget }) => set(key, { name: currentTarget.value.trim() })}
              />
              <p class="hint hint-bad" id={`label-${key}`} role="alert">
                {faults.get(key)}
              </p>
            </div>
            <input
              aria-label={t('session.labelValue')}
              placeholder={t('session.labelValue')}
              value={value}
              maxLength={256}
              autocomplete="off"
              onInput={({ currentTarget }) => set(key, { value: currentTarget.value })}
            />
            <Button
              kind="quiet"
              label={t('session.labelRemove', { name })}
              onPress={() => (rows.value = rows.value.filter((row) => row.key !== key))}
            >
              ✕
            </Button>
          </div>
        ))}
      </div>
      <div>
        <Button isDisabled={rows.value.length >= MOST} onPress={add}>
          {t('session.labelAdd')}
        </Button>
      </div>
    </FormDialog>
  )
}

function faultOf({ key, name }: Label, all: readonly Label[]): [key: number, fault: string][] {
  if (!NAME.test(name)) return [[key, t('session.labelFault')]]
  const first = all.find((row) => row.name === name)
  return first?.key === key ? [] : [[key, t('session.labelTwice')]]
}
