/** Building blocks of invented names. None of them is taken from a real catalogue. */
export const adjectives = [
  'Paper', 'Velvet', 'Amber', 'Hollow', 'Copper', 'Quiet', 'Feral', 'Woollen', 'Cobalt', 'Borrowed', 'Distant', 'Salted',
  'Crooked', 'Luminous', 'Second', 'Northern', 'Drowsy', 'Glass', 'Marble', 'Unwritten', 'Plastic', 'Brittle', 'Lucky',
  'Midnight', 'Inland', 'Vacant', 'Gentle', 'Rusted', 'Tidal', 'Paisley', 'Sideways', 'Mossy', 'Stray', 'Half', 'Silver'
]
export const nouns = [
  'Lantern', 'Harbour', 'Orchard', 'Signal', 'Umbrella', 'Staircase', 'Teacup', 'Meridian', 'Sextant', 'Balcony', 'Kettle',
  'Ferry', 'Postcard', 'Antenna', 'Thicket', 'Ledger', 'Carousel', 'Window', 'Tramline', 'Pillow', 'Envelope', 'Foxglove',
  'Satellite', 'Mitten', 'Lighthouse', 'Turnstile', 'Cassette', 'Blanket', 'Meadow', 'Corridor', 'Paperclip', 'Almanac'
]
export const endings = ['', '', '', '', ' (Live)', ' (Acoustic Version)', ' Pt. 2', ' - Reprise', ' (feat. the Neighbours)', '?', ' & Other Rooms']
export const chineseFirst = [
  '纸',
  '雾',
  '苔',
  '萤',
  '陶',
  '盐',
  '锡',
  '棉',
  '砚',
  '鹭',
  '榆',
  '茧',
  '灯',
  '帆',
  '蕨',
  '瓦',
  '橘',
  '铃',
  '驿',
  '竹'
]
export const chineseMiddle = [
  '月亮',
  '火车',
  '抽屉',
  '邮筒',
  '屋檐',
  '汽水',
  '旷野',
  '台阶',
  '毛衣',
  '航线',
  '花匠',
  '天线',
  '码头',
  '信号',
  '围巾',
  '钟摆'
]
export const chineseLast = ['', '', '', '之歌', '笔记', '与猫', '来信', '慢板', '练习曲', '（现场版）']
export const surnames = ['云', '鹿', '汐', '竺', '苇', '霁', '砂', '禾', '筝', '屿', '岚', '瓷', '枫', '鸢', '渡', '眠']
export const givenNames = ['野铃', '砂渡', '眠筝', '之禾', '未霁', '小屿', '知岚', '十鸢', '半笺', '南苇', '声声', '九灯']
export const firstNames = [
  'Odile',
  'Tamsin',
  'Bram',
  'Ilka',
  'Jory',
  'Wren',
  'Cosmo',
  'Petra',
  'Lind',
  'Anouk',
  'Rufus',
  'Zoë',
  'Mael',
  'Sölvi',
  'Noor',
  'Ezra'
]
export const lastNames = [
  'Quillfeather',
  'Marrowby',
  'Tanglewick',
  'Osterfold',
  'Brindlecote',
  'Vanterpole',
  'Hushgrove',
  'Lampwright',
  'Pennycress',
  'Skylarkin',
  'Thistlemere',
  'Undercroft'
]
export const bandWords = ['Collective', 'Trio', 'Ensemble', 'Club', 'Brothers', 'Society', 'Radio', 'Assembly']
export const lines = [
  'I left the porch light on for the rain',
  'You folded the map until the river was gone',
  'Every window is a slow parade',
  'We counted the trams that never came',
  'Hold the note a little longer',
  'It\'s only the kettle singing',
  'Somewhere a door forgets to close',
  'The moon is a coin in a coat I gave away',
  'Write it small, write it on my sleeve',
  'And the harbour hums in four',
  'Oh, oh, the lanterns lean',
  'Nobody said the tide would wait',
  'Borrow my shadow, bring it back by nine',
  'Salt & sugar, left & right',
  'Don\'t wake the orchard yet',
  'One for the ferry, two for the sky'
]
export const chineseLines = [
  '雨把站牌洗成了信纸', '你把地图折到没有河流', '每扇窗都是慢慢的游行', '我们数着没来的电车', '把那个音再留久一点', '只是水壶在唱歌',
  '某处有扇门忘了关上', '月亮是旧外套里的硬币', '写小一点写在袖口', '港口用四拍轻轻哼着', '灯笼都往风里靠', '没有人说潮水会等'
]
export const nicks = ['demo_listener_', '示例听众', 'turntable', '纸飞机', 'Night & Day ']
export const companies = ['Marrowby Sound Works', '苔原唱片', 'Second Kettle Records', '半笺音乐', 'Tramline & Co.']
export const genres = ['Pop', 'Folk', 'Rock', 'R&B', 'Jazz', 'Electronica', 'Classical']
export const languages = ['国语', '英语', '粤语', '日语', '韩语', '纯音乐']
export const albumKinds = ['录音室专辑', 'EP', 'Single', '现场专辑']
