import { useSignal } from '@preact/signals'
import { useId, useRef } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { t } from '../../text.ts'

export interface Option {
  readonly value: string
  readonly title: string
  /** More to recognize it by, for example a number; also searched. */
  readonly detail: string
}

export interface PickerProps {
  label: string
  hint?: string
  error?: string
  placeholder: string
  options: readonly Option[]
  chosen: readonly Option[]
  /** What may be chosen for a text that is in no option, for example a phone number. */
  other?: (text: string) => Option | undefined
  onChange(chosen: readonly Option[]): void
}

/** Options shown at once. */
const MOST = 8

/** Several of a long list, found by typing. Follows the ARIA pattern of a combobox with a list. */
export function Picker(props: PickerProps) {
  const { label, hint = '', error = '', placeholder, options, chosen, other, onChange } = props
  const text = useSignal('')
  const isOpen = useSignal(false)
  const at = useSignal(0)
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const found = fitting()
  const current = Math.min(at.value, found.length - 1)

  function fitting(): readonly Option[] {
    const words = text.value.trim().toLowerCase().split(/\s+/)
    const fits = options.filter(({ value, title, detail }) => {
      if (chosen.some((one) => one.value === value)) return false
      const all = `${title} ${detail} ${value}`.toLowerCase()
      return words.every((word) => all.includes(word))
    })
    const made = fits.length === 0 && text.value.trim() ? other?.(text.value.trim()) : undefined
    return made ? [made] : fits.slice(0, MOST)
  }
  function pick(option: Option | undefined): void {
    if (!option) return
    if (!chosen.some(({ value }) => value === option.value)) onChange([...chosen, option])
    text.value = ''
    at.value = 0
    isOpen.value = false
    input.current?.focus()
  }
  function onKeyDown(event: KeyboardEvent): void {
    const { key } = event
    if (key === 'Enter' && (text.value.trim() || (isOpen.value && at.value > 0))) {
      event.preventDefault()
      pick(found[current])
    } else if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault()
      const step = key === 'ArrowDown' ? 1 : -1
      if (isOpen.value) at.value = (current + step + found.length) % Math.max(1, found.length)
      isOpen.value = true
    } else if (key === 'Escape' && isOpen.value) {
      // Closes the list, not the dialog.
      event.preventDefault()
      isOpen.value = false
    } else if (key === 'Backspace' && text.value === '') onChange(chosen.slice(0, -1))
  }

  return (
    <Field label={label} hint={hint} error={error}>
      {(ties) => (
        <div class="picker">
          {chosen.map((option) => (
            <span key={option.value} class="chip">
              {option.title}
              <Button
                kind="quiet"
                label={t('keys.remove', { name: option.title })}
                onPress={() => onChange(chosen.filter(({ value }) => value !== option.value))}
              >
                ✕
              </Button>
            </span>
          ))}
          <input
            {...ties}
            ref={input}
            type="text"
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={isOpen.value}
            aria-controls={`${id}-list`}
            aria-activedescendant={isOpen.value && found[current] ? `${id}-${current}` : undefined}
            autocomplete="off"
            spellcheck={false}
            maxLength={256}
            placeholder={chosen.length === 0 ? placeholder : ''}
            value={text.value}
            onInput={({ currentTarget }) => {
              text.value = currentTarget.value
              at.value = 0
              isOpen.value = true
            }}
            onClick={() => (isOpen.value = true)}
            onKeyDown={onKeyDown}
            onBlur={() => {
              isOpen.value = false
              // What was typed and not chosen counts, if it is clear what it means.
              if (text.value.trim() && found.length === 1) pickQuietly(found[0])
            }}
          />
          <div
            id={`${id}-list`}
            role="listbox"
            aria-label={label}
            class="picker-list"
            hidden={!isOpen.value || found.length === 0}
          >
            {found.map(({ value, title, detail }, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the input
              <div
                key={value}
                id={`${id}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === current}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => pick(found[index])}
              >
                <span>{title}</span> <span class="muted">{detail}</span>
              </div>
            ))}
          </div>
          {isOpen.value && found.length === 0 ? (
            <p class="picker-list muted" role="status">
              {t('keys.noneFits')}
            </p>
          ) : null}
        </div>
      )}
    </Field>
  )

  function pickQuietly(option: Option | undefined): void {
    if (option) onChange([...chosen, option])
    text.value = ''
  }
}
