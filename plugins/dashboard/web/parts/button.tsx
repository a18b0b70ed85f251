import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

export interface ButtonProps {
  children: ComponentChildren
  id?: string
  kind?: 'primary' | 'plain' | 'danger' | 'quiet'
  type?: 'button' | 'submit'
  isBusy?: boolean
  isDisabled?: boolean
  /** While the promise is pending, the button can't be pressed again. */
  onPress?: () => unknown
  /** For screen readers, if the content is not enough. */
  label?: string
}

/** Busy by `aria-disabled`: a disabled button would lose the focus. */
export function Button(props: ButtonProps) {
  const { children, id, kind = 'plain', type = 'button', isDisabled = false, onPress, label } = props
  const isRunning = useSignal(false)
  const isBusy = props.isBusy || isRunning.value

  async function press(event: MouseEvent): Promise<void> {
    if (isBusy) return event.preventDefault()
    const work = onPress?.()
    if (!(work instanceof Promise)) return
    isRunning.value = true
    try {
      await work
    } finally {
      isRunning.value = false
    }
  }

  return (
    <button
      id={id}
      type={type}
      class={`button button-${kind}`}
      disabled={isDisabled}
      aria-disabled={isBusy ? 'true' : undefined}
      aria-label={label}
      onClick={(event) => void press(event)}
    >
      {children}
    </button>
  )
}
