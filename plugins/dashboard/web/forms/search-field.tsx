export interface SearchFieldProps {
  /** Also its placeholder. */
  label: string
  value: string
  onInput(text: string): void
}

/** A search within a list. */
export function SearchField({ label, value, onInput }: SearchFieldProps) {
  return (
    <label class="search-field">
      <span class="sr-only">{label}</span>
      <input
        type="search"
        placeholder={label}
        maxLength={256}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </label>
  )
}
