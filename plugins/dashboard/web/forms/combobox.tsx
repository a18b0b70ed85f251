import './combobox.css'
import { useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import type { FieldProps } from '../parts/field.tsx'
import { t } from '../text.ts'

export interface Option {
  readonly value: string
  readonly title: string
  /** More to recognize it by, for example a number. */
  readonly detail: string
}

export interface ComboboxProps {
  ties: Parameters<FieldProps['children']>[0]
  label: string
  placeholder?: string
  /** The chosen option, which the input shows until it is edited. */
  shown?: string
  /** The options for a text, all of them for an empty one. */
  find(text: string): readonly Option[]
  onPick(option: Option): void
  /** Backspace in the empty input. */
  onBackspace?(): void
  /** Whether a typed text with only one option is that option when the focus leaves. */
  picksOnLeave?: boolean
}

/** Options in the document at once; more are found by typing. */
const MOST = 50

/** One of many options, found by typing. Follows the ARIA pattern of a combobox with a list. */
export function Combobox(props: ComboboxProps) {
  const { ties, label, placeholder = '', shown = '', find, onPick, onBackspace, picksOnLeave = false } = props
  /** What was typed; undefined until then. */
  const text = useSignal<string | undefined>(undefined)
  const isOpen = useSignal(false)
  const at = useSignal(-1)
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const found = isOpen.value || text.value ? find(text.value?.trim() ?? '') : []
  const options = found.slice(0, MOST)
  const current = Math.min(at.value, options.length - 1)

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [current])

  function close(): void {
    text.value = undefined
    isOpen.value = false
    at.value = -1
  }
  function pick(option: Option | undefined): void {
    if (!option) return
    close()
    onPick(option)
  }
  function move(step: 1 | -1): void {
    const from = isOpen.value ? current : -1
    isOpen.value = true
    at.value = from < 0 ? 0 : (from + step + options.length) % Math.max(1, options.length)
  }
  function onKeyDown(event: KeyboardEvent): void {
    const { key } = event
    if (key === 'Enter' && isOpen.value && (text.value || current >= 0)) {
      event.preventDefault()
      pick(options[current])
    } else if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault()
      move(key === 'ArrowDown' ? 1 : -1)
    } else if (key === 'Escape' && isOpen.value) {
      // Closes the list, not the dialog.
      event.preventDefault()
      close()
    } else if (key === 'Backspace' && !text.value && !shown) onBackspace?.()
  }

  return (
    <div class="combobox">
      <input
        {...ties}
        type="text"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen.value}
        aria-controls={`${id}-list`}
        aria-activedescendant={isOpen.value && options[current] ? `${id}-${current}` : undefined}
        autocomplete="off"
        spellcheck={false}
        maxLength={256}
        placeholder={placeholder}
        value={text.value ?? shown}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
          at.value = 0
          isOpen.value = true
        }}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onClick={() => (isOpen.value = true)}
        onKeyDown={onKeyDown}
        onBlur={() => {
          const [only] = found
          if (picksOnLeave && text.value?.trim() && found.length === 1) pick(only)
          else close()
        }}
      />
      <div class="combobox-list" hidden={!isOpen.value}>
        <div ref={list} id={`${id}-list`} role="listbox" aria-label={label} hidden={options.length === 0}>
          {options.map((option, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
            <div
              key={option.value}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === current}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => pick(option)}
            >
              <span>{option.title}</span> <span class="muted">{option.detail}</span>
            </div>
          ))}
        </div>
        {found.length > MOST ? (
          <p class="muted">{t('shell.moreFit', { count: found.length - MOST })}</p>
        ) : null}
        {isOpen.value && found.length === 0 ? (
          <p class="muted" role="status">
            {t('shell.noneFits')}
          </p>
        ) : null}
      </div>
    </div>
  )
}
