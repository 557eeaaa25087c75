//! Asking for large pages of memory.
#![allow(unsafe_code)]

/// Asks the system to keep all of `list`'s memory, spare room included, in large pages: what lies all over it is
/// then found with fewer look-ups of where pages are. Changes nothing but time; does nothing for less than a few
/// megabytes, or where the system knows no such request.
pub fn ask_for_large_pages<T>(list: &Vec<T>) {
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    {
        const LARGE: usize = 2 << 20;
        const ADVICE: i32 = 14; // MADV_HUGEPAGE
        unsafe extern "C" {
            fn madvise(start: *mut std::ffi::c_void, length: usize, advice: i32) -> i32;
        }
        let start = list.as_ptr() as usize;
        let end = start + list.capacity() * size_of::<T>();
        let (first, last) = (start.next_multiple_of(LARGE), end & !(LARGE - 1));
        if last > first {
            // SAFETY: advice on whole pages inside memory that the list owns; their content stays as it is.
            let _ = unsafe { madvise(first as *mut _, last - first, ADVICE) };
        }
    }
    #[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
    let _ = list;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_the_list_stays_whatever_its_size() {
        for count in [0, 1, 1000, 3 << 20] {
            let mut list: Vec<u32> = Vec::with_capacity(count + 7);
            list.extend(0..count as u32);
            ask_for_large_pages(&list);
            assert!(list.iter().copied().eq(0..count as u32));
        }
        ask_for_large_pages(&vec![(); 5]);
    }
}
