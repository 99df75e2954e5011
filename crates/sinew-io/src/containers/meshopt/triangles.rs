//! Corners of triangles: one byte a triangle where it shares an edge with one of the last few.

use super::varint;

const HEADER: u8 = 0xe1;
/// Length of both queues.
const RECENT: usize = 16;
/// Codes of pairs of corners in the table at the end.
const TABLE: usize = 16;
/// Entries of it that may be used.
const USED: usize = 14;
/// Third corners up to this are found in the queue of vertices.
const QUEUED: usize = 13;
/// A corner that is spelled out.
const EXPLICIT: u8 = 15;

/// Stands in queues for what was not there yet. No mesh has so many vertices.
const NOTHING: u32 = u32::MAX;

/// What both sides know after each triangle.
struct State {
    /// The smallest index that was not seen yet.
    next: u32,
    /// The last that was spelled out.
    last: u32,
    edges: Queue<[u32; 2]>,
    vertices: Queue<u32>,
}

/// The last few of something.
struct Queue<T> {
    items: [T; RECENT],
    end: usize,
}

impl<T: Copy> Queue<T> {
    fn of(nothing: T) -> Self {
        Self { items: [nothing; RECENT], end: 0 }
    }

    fn push(&mut self, item: T) {
        self.items[self.end] = item;
        self.end = (self.end + 1) % RECENT;
    }

    /// 0 is the last one.
    fn get(&self, back: usize) -> T {
        self.items[(self.end + RECENT - 1 - back) % RECENT]
    }
}

impl State {
    fn new() -> Self {
        Self { next: 0, last: 0, edges: Queue::of([NOTHING; 2]), vertices: Queue::of(NOTHING) }
    }

    fn push_strip(&mut self, [a, b, c]: [u32; 3]) {
        self.edges.push([c, b]);
        self.edges.push([a, c]);
    }

    fn push_free(&mut self, [a, b, c]: [u32; 3], [new_b, new_c]: [bool; 2]) {
        self.edges.push([b, a]);
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        self.vertices.push(a);
        if new_b {
            self.vertices.push(b);
        }
        if new_c {
            self.vertices.push(c);
        }
    }

    /// Place of a vertex in the queue, nearer than `limit`.
    fn queued(&self, vertex: u32, limit: usize) -> Option<usize> {
        (0..limit).find(|back| self.vertices.get(*back) == vertex)
    }

    fn spell(&mut self, index: u32, data: &mut Vec<u8>) {
        varint::push(varint::zigzag(index.wrapping_sub(self.last) as i32), data);
        self.last = index;
    }

    fn take_next(&mut self) -> u32 {
        let index = self.next;
        self.next = self.next.wrapping_add(1);
        index
    }

    fn read(&mut self, data: &mut &[u8]) -> Option<u32> {
        let delta = varint::unzigzag(varint::take(data)?);
        self.last = self.last.wrapping_add(delta as u32);
        Some(self.last)
    }

    /// A second or third corner: the next, a recent one, or one that is spelled out.
    fn corner(&mut self, code: u8, data: &mut &[u8]) -> Option<u32> {
        match code {
            0 => Some(self.take_next()),
            EXPLICIT => self.read(data),
            back => Some(self.vertices.get(usize::from(back) - 1)),
        }
    }
}

/// Packs the corners of triangles. Which of its corners comes first may change; nothing else does.
///
/// # Panics
/// When there are not three corners a triangle.
pub fn encode(corners: &[u32]) -> Vec<u8> {
    let (triangles, rest) = corners.as_chunks::<3>();
    assert!(rest.is_empty(), "three corners a triangle");
    // Which pairs are frequent does not depend on which of them are in the table.
    let mut often = vec![0_u32; 256];
    Encoder::new(&[0; TABLE]).run(triangles, |pair| often[usize::from(pair)] += 1);
    let fits = |pair: &u8| pair >> 4 != EXPLICIT && pair & 15 != EXPLICIT;
    let mut pairs: Vec<u8> = (0..=255).filter(fits).collect();
    pairs.sort_by_key(|pair| std::cmp::Reverse(often[usize::from(*pair)]));
    let mut table = [0; TABLE];
    table[..USED].copy_from_slice(&pairs[..USED]);
    // Zero is always there: spelled out, it would mean something else.
    if !table[..USED].contains(&0) {
        table[USED - 1] = 0;
    }
    let Encoder { codes, data, .. } = Encoder::new(&table).run(triangles, |_| {});
    [vec![HEADER], codes, data, table.to_vec()].concat()
}

struct Encoder<'a> {
    state: State,
    table: &'a [u8; TABLE],
    codes: Vec<u8>,
    data: Vec<u8>,
}

impl<'a> Encoder<'a> {
    fn new(table: &'a [u8; TABLE]) -> Self {
        Self { state: State::new(), table, codes: Vec::new(), data: Vec::new() }
    }

    /// Tells of each pair of corners that the table might hold.
    fn run(mut self, triangles: &[[u32; 3]], mut pair: impl FnMut(u8)) -> Self {
        for triangle in triangles {
            match self.shared_edge(*triangle) {
                Some((edge, triangle)) => self.strip(edge, triangle),
                None => self.free(*triangle, &mut pair),
            }
        }
        self
    }

    /// The latest edge that the triangle continues, and the triangle with that edge first.
    fn shared_edge(&self, [a, b, c]: [u32; 3]) -> Option<(usize, [u32; 3])> {
        let turns = [[a, b, c], [b, c, a], [c, a, b]];
        (0..RECENT - 1).find_map(|back| {
            let edge = self.state.edges.get(back);
            let turned = turns.iter().find(|t| t[..2] == edge)?;
            Some((back, *turned))
        })
    }

    fn strip(&mut self, edge: usize, triangle: [u32; 3]) {
        let state = &mut self.state;
        let c = triangle[2];
        let code = if c == state.next {
            state.next += 1;
            0
        } else if let Some(back) = state.queued(c, QUEUED).filter(|back| *back > 0) {
            back as u8
        } else if c.wrapping_add(1) == state.last {
            state.last = c;
            13
        } else if c == state.last.wrapping_add(1) {
            state.last = c;
            14
        } else {
            state.spell(c, &mut self.data);
            EXPLICIT
        };
        self.codes.push((edge as u8) << 4 | code);
        if code == 0 || usize::from(code) >= QUEUED {
            state.vertices.push(c);
        }
        state.push_strip(triangle);
    }

    fn free(&mut self, [a, b, c]: [u32; 3], pair: &mut impl FnMut(u8)) {
        let state = &mut self.state;
        let triangle = match state.next {
            next if b == next => [b, c, a],
            next if c == next => [c, a, b],
            _ => [a, b, c],
        };
        let [a, b, c] = triangle;
        let begins = a == state.next;
        state.next += u32::from(begins);
        let mut code = |index: u32| {
            if index == state.next {
                state.next += 1;
                return 0;
            }
            state.queued(index, USED).map_or(EXPLICIT, |back| back as u8 + 1)
        };
        let [code_b, code_c] = [code(b), code(c)];
        let codes = code_b << 4 | code_c;
        if begins && code_b != EXPLICIT && code_c != EXPLICIT {
            pair(codes);
        }
        match self.table[..USED].iter().position(|entry| *entry == codes).filter(|_| begins) {
            Some(place) => self.codes.push(0xf0 | place as u8),
            None => {
                self.codes.push(if begins { 0xfe } else { 0xff });
                self.data.push(codes);
            }
        }
        let spelled = [(a, !begins), (b, code_b == EXPLICIT), (c, code_c == EXPLICIT)];
        for (index, _) in spelled.into_iter().filter(|(_, spelled)| *spelled) {
            state.spell(index, &mut self.data);
        }
        state.push_free(triangle, [code_b, code_c].map(|code| code == 0 || code == EXPLICIT));
    }
}

/// Unpacks `count` corners; `None` where the stream does not hold them.
pub fn decode(stream: &[u8], count: usize) -> Option<Vec<u32>> {
    let body = stream.strip_prefix(&[HEADER])?;
    let (body, table) = body.split_at_checked(body.len().checked_sub(TABLE)?)?;
    if !count.is_multiple_of(3) {
        return None;
    }
    let (codes, mut data) = body.split_at_checked(count / 3)?;
    let mut state = State::new();
    let mut out = Vec::with_capacity(count);
    for &code in codes {
        let triangle = if code < 0xf0 {
            decode_strip(&mut state, code, &mut data)?
        } else {
            decode_free(&mut state, code, table, &mut data)?
        };
        out.extend(triangle);
    }
    data.is_empty().then_some(out)
}

fn decode_strip(state: &mut State, code: u8, data: &mut &[u8]) -> Option<[u32; 3]> {
    let [a, b] = state.edges.get(usize::from(code >> 4));
    let third = code & 15;
    let c = match third {
        0 => state.take_next(),
        13 | 14 => {
            state.last = if third == 13 { state.last.wrapping_sub(1) } else { state.last.wrapping_add(1) };
            state.last
        }
        EXPLICIT => state.read(data)?,
        back => state.vertices.get(usize::from(back)),
    };
    if third == 0 || usize::from(third) >= QUEUED {
        state.vertices.push(c);
    }
    state.push_strip([a, b, c]);
    Some([a, b, c])
}

fn decode_free(state: &mut State, code: u8, table: &[u8], data: &mut &[u8]) -> Option<[u32; 3]> {
    let place = usize::from(code & 15);
    let codes = if place < USED {
        table[place]
    } else {
        let (&codes, rest) = data.split_first()?;
        *data = rest;
        if codes == 0 {
            state.next = 0;
        }
        codes
    };
    let a = if code == 0xff { state.read(data)? } else { state.take_next() };
    let [code_b, code_c] = [codes >> 4, codes & 15];
    if place < USED && (code_b == EXPLICIT || code_c == EXPLICIT) {
        return None;
    }
    let b = state.corner(code_b, data)?;
    let c = state.corner(code_c, data)?;
    state.push_free([a, b, c], [code_b, code_c].map(|code| code == 0 || code == EXPLICIT));
    Some([a, b, c])
}
