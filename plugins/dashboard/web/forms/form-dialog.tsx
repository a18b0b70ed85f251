import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { textOf } from '../api.ts'
import { Button, type ButtonProps } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Notice } from '../parts/notice.tsx'

export interface FormDialogProps {
  title: string
  isOpen: boolean
  onClose(): void
  /** What the button does; its own text. */
  submit: string
  kind?: ButtonProps['kind']
  /** Whether it can be submitted. */
  isReady?: boolean
  /** A rejection is shown above the buttons, and the dialog stays open. */
  run(): Promise<unknown>
  children: ComponentChildren
}

/** A dialog with fields: Enter in one of them submits, like the button. */
export function FormDialog(props: FormDialogProps) {
  const { title, isOpen, onClose, submit, kind = 'primary', isReady = true, run, children } = props
  const error = useSignal('')
  const isBusy = useSignal(false)
  useEffect(() => {
    error.value = ''
  }, [isOpen])

  async function press(): Promise<void> {
    if (!isReady || isBusy.value) return
    isBusy.value = true
    error.value = ''
    try {
      await run()
    } catch (failure) {
      error.value = textOf(failure)
    } finally {
      isBusy.value = false
    }
  }

  return (
    <Dialog
      title={title}
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <Button kind={kind} isDisabled={!isReady} isBusy={isBusy.value} onPress={() => void press()}>
          {submit}
        </Button>
      }
    >
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void press()
        }}
      >
        {children}
        {/* Without one, Enter submits only forms with a single field. */}
        <button type="submit" hidden />
      </form>
      {error.value ? <Notice kind="bad">{error.value}</Notice> : null}
    </Dialog>
  )
}
