/*
 * The rules of membership (docs/synchronization.md), apart from the code: every circle of a few entries by a few devices, in
 * which anybody may sign anything at any time, with any date that is valid.
 *
 *     spin -run membership.pml
 *
 * Entry 0 founds the circle with device 0. Each further entry adds or removes a device and names a past that has all parents of
 * its own. What is checked after each: nobody gains a member by signing as a device that was removed.
 */

#ifndef ENTRIES
#define ENTRIES 5
#endif
#define DEVICES 4
/* To see that the assertion fails: additions count whenever their author did. */
#ifndef WITHOUT_DATES
#define WITHOUT_DATES false
#endif

#define ADD 1
#define REMOVE 2
#define HAS(set, number) (((set) >> (number)) & 1)

byte count = 1;
byte kind[ENTRIES];
byte author[ENTRIES];
byte target[ENTRIES];
byte past[ENTRIES];

/* What follows from a set of entries: those who count, and those who were removed. */
byte counted;
byte removed;

/* The rule, for the entries of `set`: an addition counts if its author counts, and if it is in the past of every removal of
   its author; until nothing changes. */
inline evaluate(set) {
    removed = 0;
    counted = 1;
    i = 0;
    do
    :: i < count ->
        if
        :: HAS(set, i) && kind[i] == REMOVE -> removed = removed | (1 << target[i])
        :: else
        fi;
        i++
    :: else -> break
    od;
    changed = true;
    do
    :: changed ->
        changed = false;
        i = 0;
        do
        :: i < count ->
            if
            :: HAS(set, i) && kind[i] == ADD && HAS(counted, author[i]) && !HAS(counted, target[i]) ->
                dated = true;
                j = 0;
                do
                :: j < count ->
                    if
                    :: HAS(set, j) && kind[j] == REMOVE && target[j] == author[i] && !HAS(past[j], i) -> dated = false
                    :: else
                    fi;
                    j++
                :: else -> break
                od;
                if
                :: dated || WITHOUT_DATES -> counted = counted | (1 << target[i]); changed = true
                :: else
                fi
            :: else
            fi;
            i++
        :: else -> break
        od
    :: else -> break
    od
}

init {
    byte i, j, before, everRemoved, a, t, k, p;
    bool changed, dated, valid;
    kind[0] = ADD;
    do
    :: count < ENTRIES ->
        /* d_step would be quicker, but the choices have to be seen. */
        select(a : 0 .. DEVICES - 1);
        select(t : 0 .. DEVICES - 1);
        select(k : 1 .. 2);
        select(p : 0 .. (1 << (ENTRIES - 1)) - 1);
        atomic {
            /* The past is of entries that there are, with the first one and all that theirs are. */
            valid = (p < (1 << count)) && HAS(p, 0);
            i = 0;
            do
            :: i < count ->
                if
                :: HAS(p, i) && (past[i] & ~p) -> valid = false
                :: else
                fi;
                i++
            :: else -> break
            od;
            if
            :: valid ->
                evaluate(p);
                /* The author was a member by all that it knew; a device is added that was not, and removed that was. */
                valid = HAS(counted, a) && !HAS(removed, a);
                if
                :: k == ADD -> valid = valid && !HAS(counted, t) && !HAS(removed, t)
                :: k == REMOVE -> valid = valid && HAS(counted, t) && !HAS(removed, t)
                fi
            :: else
            fi;
            if
            :: valid ->
                evaluate(255);
                before = counted & ~removed;
                everRemoved = removed;
                kind[count] = k;
                author[count] = a;
                target[count] = t;
                past[count] = p;
                count++;
                evaluate(255);
                /* Removal is final. */
                assert((everRemoved & ~removed) == 0);
                /* Who was removed adds nobody, whatever it says of the date. */
                assert(!HAS(everRemoved, a) || ((counted & ~removed) & ~before) == 0);
                /* Nobody becomes a member by a removal. */
                assert(k == ADD || ((counted & ~removed) & ~before) == 0)
            :: else
            fi;
            /* What is not needed any more makes no states. */
            i = 0; j = 0; a = 0; t = 0; k = 0; p = 0; before = 0; everRemoved = 0;
            changed = false; dated = false; valid = false; counted = 0; removed = 0
        }
    :: else -> break
    od
}
