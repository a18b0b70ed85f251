import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Button } from '../../dashboard/web/parts/button.tsx'
import { ICONS } from '../icons.ts'

interface FormProps {
  id: string
  /** On its button. */
  submit: string
  /** While true, the form is not sent again. */
  onSend(): Promise<void>
  children: ComponentChildren
}

export function Form({ id, submit, onSend, children }: FormProps) {
  const isBusy = useSignal(false)
  async function send(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    if (isBusy.value) return
    isBusy.value = true
    try {
      await onSend()
    } finally {
      isBusy.value = false
    }
  }
  return (
    <form id={id} noValidate onSubmit={(event) => void send(event)}>
      {children}
      <Button type="submit" kind="primary" isBusy={isBusy.value}>
        {submit}
      </Button>
    </form>
  )
}

/** A code in groups, read letter by letter. */
export function Code({ id, text, groups }: { id: string; text: string; groups: readonly string[] }) {
  const read = text ? { role: 'img' as const, 'aria-label': [...text].join(' ') } : {}
  return (
    <p id={id} class="code" translate={false} {...read}>
      {groups.map((group) => (
        <span key={group}>{group}</span>
      ))}
    </p>
  )
}

/** A numbered list; text between asterisks is the name of a control. */
export function Steps({ texts }: { texts: readonly string[] }) {
  return (
    <ol class="steps">
      {texts.map((text) => (
        <li key={text}>{text.split('*').map((piece, at) => (at % 2 === 1 ? <b>{piece}</b> : piece))}</li>
      ))}
    </ol>
  )
}

/** The drawing above a heading. */
export function Icon({ name }: { name: keyof typeof ICONS }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  )
}
