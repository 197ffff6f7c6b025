// What the toolchain's swiftrt.o does in an ordinary program: tells the runtime where this program's tables of types and conformances begin
// and how long they are, before anything looks one up by name. There is none for this target. The layout is that of MetadataSections.h in the
// toolchain's shims: a version, the program's own address, two unused words, then the beginning and the length of each table.
        .macro  table name
        .section \name, "aR"
        .data
        .quad   __start_\name, __stop_\name
        .endm

        .data
        .balign 8
sections:
        .quad   4, __ehdr_start, 0, 0
        table   swift5_protocols
        table   swift5_protocol_conformances
        table   swift5_type_metadata
        table   swift5_typeref
        table   swift5_reflstr
        table   swift5_fieldmd
        table   swift5_assocty
        table   swift5_replace
        table   swift5_replac2
        table   swift5_builtin
        table   swift5_capture
        table   swift5_mpenum
        table   swift5_accessible_functions
        table   swift5_runtime_attributes
        .hidden __ehdr_start

        .text
        .balign 4
announce:
        adrp    x0, sections
        add     x0, x0, :lo12:sections
        add     x1, x0, #32
        mov     w2, #14
1:      ldp     x3, x4, [x1]
        sub     x4, x4, x3
        str     x4, [x1, #8]
        add     x1, x1, #16
        subs    w2, w2, #1
        b.ne    1b
        b       swift_addNewDSOImage

        .section .init_array, "aw"
        .balign 8
        .quad   announce
        .section .note.GNU-stack, "", %progbits
