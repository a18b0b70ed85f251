import { api } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { t } from '../../text.ts'
import type { Model } from './model.ts'

export function NewPhone({ model }: { model: Model }) {
  async function create(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const field = form.elements.namedItem('name') as HTMLInputElement
    const made = await model.attempt(() => api.call('post', '/sandbox/phones', { Name: field.value.trim() }))
    if (made) form.reset()
  }
  return (
    <form class="row" onSubmit={(event) => void create(event)}>
      <label class="row">
        {t('phones.newName')}
        <input name="name" maxLength={80} required />
      </label>
      <Button type="submit">{t('phones.create')}</Button>
    </form>
  )
}
