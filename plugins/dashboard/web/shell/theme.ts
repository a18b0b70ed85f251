import { signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const STORED = 'wamux-theme'
const stored = localStorage.getItem(STORED)

export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system')

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.value
}

export function setTheme(wanted: Theme): void {
  theme.value = wanted
  localStorage.setItem(STORED, wanted)
  applyTheme()
}
