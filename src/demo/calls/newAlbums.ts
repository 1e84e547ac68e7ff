import type { Album } from '../catalogue/types.ts'
import type { CallAnswer, CallContext, MusicuTable, Param } from '../types.ts'
import { mistyped, numberOf } from './params.ts'

const areas = ['内地', '港台', '欧美', '韩国', '日本', '其他']

function rowOf (album: Album): Record<string, unknown> {
  const noCompany = { id: 0, name: '', ex: { desc: '', company_photo: 0 } }
  return {
    id: album.id,
    mid: album.mid,
    name: album.name,
    trans_name: album.otherName,
    singers: album.singers.map(({ id, mid, name, sex }) => ({
      id,
      mid,
      name,
      foreign_name: '',
      type: sex,
      genre: 0,
      area: 0,
      company: noCompany,
      status: 0,
      index: ''
    })),
    type: 0,
    language: 0,
    genre: 0,
    area: 0,
    movie: '',
    release_time: album.published,
    company: noCompany,
    status: 0,
    index: '',
    tag: '',
    pay: { payment_total: 0, payment_album_type: 0, payment_discount: 0 },
    ex: { desc: '', track_nums: 0, playable_track_nums: 0, album_tag3: 0, singer_tag: '' },
    photo: { gaus_pic: '', has_photo: 0, pic_mid: `${album.mid}_1`, vip_flag: 0, pay_flag: 0, version: 0 },
    ex_status: 1,
    companyshow: noCompany,
    modify_time: '',
    str_genre: '',
    album_wiki: ''
  }
}

/** Newest first, one area per call. `start` is a row; older clients write `sin`. An unknown area is empty. */
function newAlbums (param: Param, { catalogue }: CallContext): CallAnswer {
  const wrong = mistyped(param, { area: 'number', start: 'number', sin: 'number', num: 'number' })
  if (wrong) return wrong
  const area = numberOf(param, 'area', 1)
  const start = numberOf(param, 'start', numberOf(param, 'sin', 0))
  const found = catalogue.albums.filter((album) => album.area === area).toSorted((a, b) =>
    b.published.localeCompare(a.published)
  )
  const albums = found.slice(start, start + numberOf(param, 'num', 20)).map(rowOf)
  return { code: 0, data: { albums, ret_msg: 'success!', total: found.length } }
}

export const newAlbumCalls: MusicuTable = {
  'newalbum.NewAlbumServer/get_new_album_info': newAlbums,
  'newalbum.NewAlbumServer/get_new_album_area': () => ({
    code: 0,
    data: { area: areas.map((name, at) => ({ name, id: at + 1, tjreport: '' })) }
  })
}
