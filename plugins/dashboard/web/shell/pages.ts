import { signal } from '@preact/signals'
import { api } from '../api.ts'

/** A plugin's page, from `GET /plugins`. */
export interface PluginPage {
  readonly Plugin: string
  readonly Title: string
  /** Name of the custom element that `Script` defines. */
  readonly Element: string
  /** Path of a module below the address of the gateway. */
  readonly Script: string
}

export const pages = signal<readonly PluginPage[]>([])

export async function readPages(): Promise<readonly PluginPage[]> {
  pages.value = (await api.get('/plugins')).Pages
  return pages.value
}

/** Its place in the dashboard. */
export const pageOf = ({ Plugin }: PluginPage): string => `/pages/${encodeURIComponent(Plugin)}`
